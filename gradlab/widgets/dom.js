// Small helpers around the document. Text only ever enters through textContent.

const SVG = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";

const FOCUSABLE = new Set(["button", "input", "summary"]);

function make(space, tag, attributes, children) {
  const node = document.createElementNS(space, tag);
  // Notebook 7 matches its shortcuts at the element in focus first, so the mark on the root alone comes too late.
  if (FOCUSABLE.has(tag) || attributes?.tabindex !== undefined) node.setAttribute("data-lm-suppress-shortcuts", "true");
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children);
  return node;
}

/** An HTML element: `h("button", { class: "gl-button" }, "run")`. */
export const h = (tag, attributes, ...children) => make(HTML, tag, attributes, children);

/** An SVG element. */
export const s = (tag, attributes, ...children) => make(SVG, tag, attributes, children);

/** Set a text, touching the document only when it differs. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Set an attribute (null removes it), touching the document only when it differs. */
export function setAttribute(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

export const stillness = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;

/** A number typed by a person, or null. Takes a real minus sign, a decimal comma, "1e-3", "nan" and "inf". */
export function parseNumber(text) {
  const plain = text.trim().toLowerCase().replaceAll("−", "-").replace("∞", "inf").replace(/^([^.]*),([^,.]*)$/, "$1.$2");
  const special = { nan: NaN, inf: Infinity, "+inf": Infinity, "-inf": -Infinity }[plain];
  if (special !== undefined) return special;
  const number = plain === "" ? NaN : Number(plain);
  return Number.isFinite(number) && !/[xbo]/.test(plain) ? number : null;
}

/** A number as Python reads it; JSON itself knows neither nan nor inf. */
export const pythonText = (x) => (Number.isNaN(x) ? "nan" : x === Infinity ? "inf" : x === -Infinity ? "-inf" : String(x));

/** The first showing of a number that the kernel has not answered yet; its own text replaces this one. */
export function draft(x) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
  const size = Math.abs(x);
  const text = size !== 0 && (size < 1e-4 || size >= 1e6) ? x.toExponential(3) : x.toPrecision(4);
  return text.replace("-", "−");
}

/** Put numbers into a text where a mark says whose. A negative number behind an operator or before a power stands in brackets. */
export function fill(template, textOf) {
  return template.replace(/\uE000(\w+)\uE001/g, (whole, id, at) => {
    const text = textOf(id);
    const after = template.slice(at + whole.length, at + whole.length + 1);
    const before = template.slice(0, at).trimEnd().slice(-1);
    const alone = !/[-+−×·/^√|@]/.test(before) && !/[²³^⁰-⁹⁻]/.test(after || " ");
    return text.startsWith("−") && !alone ? `(${text})` : text;
  });
}

/** A factor of a product: negative numbers in brackets, except in front. */
export const factor = (text, first = false) => (text.startsWith("−") && !first ? `(${text})` : text);

const ICONS = {
  reset: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M12 3v10L4 8z",
  step: "M4 3v10l8-5z",
  run: "M2 3v10l6-5zM8 3v10l6-5z",
  pause: "M3 3h4v10H3zM9 3h4v10H9z",
  end: "M3 3v10l7-5zM11 3h2v10h-2z",
  in: "M7 3h2v4h4v2H9v4H7V9H3V7h4z",
  out: "M3 7h10v2H3z",
  fit: "M2 2h4v1.6H3.6V6H2zM10 2h4v4h-1.6V3.6H10zM2 10h1.6v2.4H6V14H2zM12.4 10H14v4h-4v-1.6h2.4z",
  fold: "M3 2h10v1.6H3zM8 5l3.5 3.5h-7zM3 12.4h10V14H3z",
  right: "M2 7h8V3.5L14.5 8 10 12.5V9H2z",
  down: "M7 2h2v8h3.5L8 14.5 3.5 10H7z",
};

/** A button with an icon, a name for screen readers, and a word if there is room for one. */
export function button(icon, name, { word = "", onClick, ...attributes } = {}) {
  const node = h("button", { type: "button", class: "gl-button", "aria-label": name, title: name, ...attributes });
  node.append(s("svg", { class: "gl-icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: ICONS[icon] })));
  if (word) node.append(h("span", {}, word));
  node.addEventListener("click", onClick);
  return node;
}

export function setIcon(node, icon) {
  setAttribute(node.querySelector("path"), "d", ICONS[icon]);
}
