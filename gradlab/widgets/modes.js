// What the picture is used for: see the values, follow paths, check a gradient, or predict before seeing.
import { h, parseNumber, setAttribute, setText } from "./dom.js";

export const MODES = ["values", "paths", "check", "predict"];

export function createSwitch({ mode, choose }) {
  const parts = MODES.map((name) => h("button", { type: "button", role: "radio", class: "gl-mode-choice" }, name));
  const element = h("div", { class: "gl-switch", role: "radiogroup", "aria-label": "mode" }, ...parts);
  parts.forEach((part, i) => part.addEventListener("click", () => choose(MODES[i])));
  element.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    const next = (MODES.indexOf(mode()) + by + MODES.length) % MODES.length;
    choose(MODES[next]);
    parts[next].focus();
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    element,
    show() {
      parts.forEach((part, i) => {
        const on = MODES[i] === mode();
        setAttribute(part, "aria-checked", String(on));
        setAttribute(part, "tabindex", on ? "0" : "-1");
      });
    },
  };
}

/** Each path from a leaf to the loss with the product along it; pointing at one lights it up in the picture. */
function createPaths({ light }) {
  const lead = h("p", { class: "gl-lead" }), list = h("ol", { class: "gl-paths" }), sum = h("p", { class: "gl-lead" });
  let rows = [];
  function row(path) {
    const part = { route: h("span", {}), product: h("span", { class: "gl-num" }), edges: path.edges };
    part.root = h("button", { type: "button", class: "gl-path", "aria-pressed": "false" }, part.route, part.product);
    const on = () => light(part.edges), off = () => light(rows.find((other) => other.root.getAttribute("aria-pressed") === "true")?.edges ?? []);
    for (const name of ["pointerenter", "focus"]) part.root.addEventListener(name, on);
    for (const name of ["pointerleave", "blur"]) part.root.addEventListener(name, off);
    part.root.addEventListener("click", () => {
      const pressed = part.root.getAttribute("aria-pressed") === "true";
      rows.forEach((other) => setAttribute(other.root, "aria-pressed", String(other === part && !pressed)));
    });
    return part;
  }
  return {
    element: h("div", {}, lead, list, sum),
    show(answer) {
      setText(lead, answer.lead);
      if (rows.length !== answer.paths.length) {
        rows = answer.paths.map(row);
        list.replaceChildren(...rows.map((part) => h("li", {}, part.root)));
      }
      answer.paths.forEach((path, i) => {
        rows[i].edges = path.edges;
        setText(rows[i].route, path.route);
        setText(rows[i].product, path.product);
      });
      setText(sum, answer.sum);
    },
    close: () => { rows = []; list.replaceChildren(); light([]); },
  };
}

/** A gradient beside central differences: what the loss does when the node is nudged up and down. */
function createCheck() {
  const lead = h("p", { class: "gl-lead" }), body = h("tbody", {}), verdict = h("p", { class: "gl-lead" });
  return {
    element: h("div", {}, lead, h("table", { class: "gl-check" }, body), verdict),
    show(answer) {
      setText(lead, answer.lead);
      while (body.rows.length < answer.rows.length) body.append(h("tr", {}, h("th", { scope: "row" }), h("td", { class: "gl-num" })));
      answer.rows.forEach(([word, text], i) => { setText(body.rows[i].cells[0], word); setText(body.rows[i].cells[1], text); });
      setText(verdict, answer.verdict);
      setAttribute(verdict, "data-agrees", String(answer.agrees));
    },
    close() {},
  };
}

/** Numbers stay hidden until they were predicted. Asks for the selected node, or for the next number in order of computing. */
function createPredict({ changed }) {
  const shown = new Set();
  const question = h("label", { class: "gl-lead" }), box = h("input", { type: "text", class: "gl-number", inputmode: "decimal", autocomplete: "off" });
  const check = h("button", { type: "submit", class: "gl-button" }, "check");
  const reveal = h("button", { type: "button", class: "gl-button" }, "show it");
  const answer = h("span", { class: "gl-answer", role: "status" });
  const element = h("form", { class: "gl-predict" }, question, box, check, reveal, answer);
  let asked = null;

  const key = (id, which) => `${id} ${which}`;
  const open = (id, which, truth) => !shown.has(key(id, which)) && parseNumber(truth) !== null;
  function candidates(state, selected) {
    const forward = [], backward = [];
    for (const node of state.graph.node.values()) {
      if (selected && node.id !== selected) continue;
      const item = state.nodes[node.at];
      if (!node.leaf && open(node.id, "value", item.value)) forward.push([node, "value", item.value]);
      if (item.state === "complete" && open(node.id, "grad", item.grad)) backward.unshift([node, "grad", item.grad]);
    }
    return [...forward, ...backward];
  }
  function close(message) {
    shown.add(key(asked.node.id, asked.which));
    setText(answer, message);
    box.value = "";
    changed();
  }
  function verdict(x, truth) {
    const near = (a) => Math.abs(a - truth) <= 5e-4 + 5e-3 * Math.abs(truth);
    if (Object.is(x, truth) || near(x)) return null;
    if (near(-x)) return "The size is right, the sign is not.";
    return asked.which === "grad" ? "Not yet. Multiply the gradient that arrives by the local derivative, and add over all uses." : "Not yet. Put the numbers of the inputs into the formula.";
  }
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!asked) return;
    const x = parseNumber(box.value);
    const wrong = x === null ? "A prediction is a number such as 2.5 or −3." : verdict(x, parseNumber(asked.truth));
    setAttribute(box, "aria-invalid", wrong ? "true" : null);
    if (wrong) setText(answer, `✗ ${wrong}`);
    else close(`✓ ${asked.words} is ${asked.truth}, as predicted.`);
  });
  reveal.addEventListener("click", () => asked && close(`${asked.words} is ${asked.truth}.`));
  return {
    element,
    hides: (id, which, leaf, text) => !(leaf && which === "value") && open(id, which, text),
    show(state, selected) {
      const [first] = candidates(state, state.graph.node.has(selected) ? selected : "");
      const words = first && (first[1] === "value" ? `the value of ${first[0].name}` : `the gradient of ${first[0].name}`);
      const next = first ? { node: first[0], which: first[1], truth: first[2], words: words[0].toUpperCase() + words.slice(1) } : null;
      if (next && asked && (next.node.id !== asked.node.id || next.which !== asked.which)) setAttribute(box, "aria-invalid", null);
      asked = next;
      setText(question, first ? `What is ${words}?` : selected ? "Every number of this node has been seen." : "Every number that was computed has been seen. Move a slider for new ones.");
      setAttribute(box, "aria-label", first ? `your prediction: ${words}` : "your prediction");
      for (const part of [box, check, reveal]) part.hidden = !first;
    },
    forget() { shown.clear(); setText(answer, ""); },
    close() {},
  };
}

export function createModePanel(hooks) {
  const panels = { paths: createPaths(hooks), check: createCheck(), predict: createPredict(hooks) };
  const element = h("section", { class: "gl-mode", hidden: true, "aria-live": "off" });
  const wait = h("p", { class: "gl-lead" }, "Waiting for the kernel.");
  let mode = "values";
  return {
    element, predict: panels.predict,
    show(next, state, selected) {
      if (next !== mode) {
        const before = mode;
        mode = next; // first, since closing draws anew
        panels[before]?.close();
      }
      element.hidden = mode === "values";
      if (mode === "values") return;
      setAttribute(element, "aria-label", mode);
      const answer = state.frame.answer?.mode === mode ? state.frame.answer : null;
      const content = mode === "predict" || answer ? panels[mode].element : wait;
      if (element.firstChild !== content) element.replaceChildren(content);
      if (mode === "predict") panels.predict.show(state, selected);
      else if (answer) panels[mode].show(answer);
    },
  };
}
