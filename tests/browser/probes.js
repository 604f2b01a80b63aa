// What the tests ask a page about its looks and its speed.

const VIEW = "#view .gl-explorer";
const all = (selector) => [...document.querySelectorAll(selector)];
const isSvg = (node) => node.namespaceURI.endsWith("svg");
const seen = (node) => node.getClientRects().length > 0;

/** Texts on the cards by name: `which` is "val", "grad" or "mark". */
export const cards = (which) => Object.fromEntries(all("#view .gl-node").map((n) => [n.dataset.name, n.querySelector(`.gl-${which}`).textContent]));

const numbers = (colour) => (colour.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);

function luminance([r, g, b]) {
  const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}

/** What a text stands on: the box of its card, or the nearest painted background. */
function surface(node) {
  const card = isSvg(node) && node.closest(".gl-node, .gl-pill");
  if (card) {
    const under = node.classList.contains("gl-symbol") ? card.querySelector(".gl-chip") : card.querySelector("rect");
    return numbers(getComputedStyle(under).fill);
  }
  for (let at = node; at; at = at.parentElement) {
    const colour = numbers(getComputedStyle(at).backgroundColor);
    if (colour.length < 4 || colour[3] > 0.99) return colour.slice(0, 3);
  }
  return [255, 255, 255];
}

function hasText(node) {
  if (node.tagName === "title" || node.closest(".gl-pill:not([data-shown]), details:not([open]) div")) return false;
  return [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || (node.matches("input[type=text]") && node.value);
}

/** [contrast, class, text] of every text in sight. */
export function contrasts() {
  return all(`${VIEW} *`).filter((node) => hasText(node) && seen(node)).map((node) => {
    const style = getComputedStyle(node);
    const [a, b] = [luminance(numbers(isSvg(node) ? style.fill : style.color)), luminance(surface(node))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return [contrast, node.className.baseVal ?? node.className, (node.textContent || node.value).slice(0, 30)];
  });
}

const overlap = (a, b) => [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];

function pairs(items, problem) {
  return items.flatMap((a, i) => items.slice(i + 1).map((b) => problem(a, b))).filter(Boolean);
}

function insideCard(card) {
  const box = card.querySelector(".gl-box").getBoundingClientRect();
  const texts = [...card.querySelectorAll("text")].map((n) => ({ kind: n.getAttribute("class"), text: n.textContent, box: n.getBoundingClientRect() }));
  const out = texts.filter(({ box: r }) => r.left < box.left + 2 || r.right > box.right - 2 || r.top < box.top || r.bottom > box.bottom);
  const onTop = pairs(texts, (a, b) => {
    const [wide, high] = overlap(a.box, b.box);
    return a.kind !== b.kind && wide > 0.5 && high > 4 && ["on top of each other", a.text, b.text];
  });
  return [...out.map(({ text }) => ["sticks out", text]), ...onTop];
}

/** Texts that leave their card or cover each other, and cards that cover each other. */
export function overlaps() {
  const boxes = all("#view .gl-box").map((n) => n.getBoundingClientRect());
  const covering = pairs(boxes, (a, b) => overlap(a, b).every((length) => length > 0) && ["cards cover each other"]);
  return [...all("#view .gl-node").flatMap(insideCard), ...covering];
}

/** Controls and texts that leave the frame of the explorer. */
export function outside() {
  const frame = document.querySelector("#view .gl-frame").getBoundingClientRect();
  return all("#view .gl-frame :is(button, input, span, h2, summary, .gl-say)")
    .filter((n) => seen(n) && !n.closest(".gl-stage")).map((n) => [n.className, n.textContent, n.getBoundingClientRect()])
    .filter(([, , r]) => r.left < frame.left - 0.5 || r.right > frame.right + 0.5).map(([name, text]) => [name, text]);
}

/** Controls without a name for screen readers. */
export function nameless() {
  const controls = `${VIEW} :is(button, input, select, [role=button], [tabindex]):not([hidden])`;
  return all(controls).filter((n) => !(n.getAttribute("aria-label") || n.textContent.trim())).map((n) => n.outerHTML);
}

/** Every text that a person or a screen reader can get at. */
export function everyText() {
  const spoken = all(`${VIEW} [aria-label], ${VIEW} title`).map((n) => `${n.getAttribute("aria-label") ?? ""} ${n.textContent}`);
  return `${document.querySelector(VIEW).innerText} ${spoken.join(" ")}`;
}

/** Until the text of a node changes, or three seconds have passed. */
const changed = (node) => new Promise((done) => {
  const watcher = new MutationObserver(() => { watcher.disconnect(); done(); });
  watcher.observe(node, { childList: true, characterData: true, subtree: true });
  setTimeout(done, 3000);
});

/** Move a slider `count` times, each time when the numbers of the last move are laid out; the times in ms. */
export async function edit_times(count) {
  const slider = document.querySelector("[data-leaf=w3] .gl-range"), root = document.querySelector("[data-name=loss] .gl-val");
  const times = [];
  for (let i = 1; i <= count; i++) {
    const before = performance.now(), answer = changed(root);
    slider.value = String(-0.5 + i * 0.0237);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await answer;
    root.getBoundingClientRect();
    times.push(performance.now() - before);
  }
  return times;
}

/** Fifty moves of a slider faster than a slow kernel answers; `sent` and `drawn` on the window count what became of them. */
export function rush(delay_ms) {
  Object.assign(window, { sent: 0, drawn: 0 });
  window.delivery = (update, send) => { if (update.leaf_edits) window.sent += 1; setTimeout(() => send(update), delay_ms); };
  const watcher = new MutationObserver(() => { window.drawn += 1; });
  watcher.observe(document.querySelector("[data-name=loss] .gl-val"), { childList: true, characterData: true, subtree: true });
  const slider = document.querySelector("[data-leaf=x] .gl-range");
  for (let i = 1; i <= 50; i++) {
    slider.value = String(i / 10);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/** A frame that was overtaken on its way. */
export function late_frame() {
  const old = structuredClone(window.model.get("frame"));
  window.model.receive({ frame: { ...old, seq: old.seq - 1, values: old.values.map(() => "late") } });
}

/** A second view of the same model, in an element with the id "second". */
export function second_view() {
  const el = document.body.appendChild(document.createElement("div"));
  el.id = "second";
  window.explorer.render({ model: window.model, el });
}

/** The outputs of two cells as JupyterLab builds them: one with a live explorer, one of a notebook opened again. */
export function as_outputs() {
  const child = (content) => { const n = document.createElement("div"); n.className = "jp-OutputArea-child"; n.append(content); return n; };
  const still = () => Object.assign(new Image(), { src: "data:image/svg+xml,%3Csvg%20class%3D%22gl-static%20a%22/%3E" });
  const area = document.body.appendChild(document.createElement("div"));
  area.append(child(still()), child("style"), child(document.querySelector(".gl-explorer")), child(still()), child("style"), child("model not found"));
  return all(".jp-OutputArea-child").map((n) => getComputedStyle(n).display);
}
