// The leaves: a slider and a number box each. The newest edit wins: one is under way at a time, the rest wait as one.
import { clamp, draft, h, parseNumber, pythonText, setAttribute, setText } from "./dom.js";

const PATIENCE_MS = 2500;
// A notebook server holds the answer back until the browser has acknowledged the "busy" before it, which a browser puts off for
// 40 ms unless it has something to send. An empty message at the right moment is something: 56 ms become 30 in JupyterLab.
const NUDGES_MS = [5, 15];

/** Sends edits through the model: the next one leaves when the frame that answers the last one has arrived. */
export function createSender(model, { onSilence }) {
  let waiting = new Map(), timer = 0;
  const sent = () => model.get("leaf_edits")?.seq ?? 0;
  const answered = () => model.get("frame")?.answers ?? 0;

  function flush(force = false) {
    if (!waiting.size || (!force && sent() > answered())) return;
    const values = Object.fromEntries([...waiting].map(([name, x]) => [name, pythonText(x)]));
    waiting = new Map();
    model.set("leaf_edits", { seq: Math.max(sent(), answered()) + 1, values });
    model.save_changes();
    NUDGES_MS.forEach((ms) => setTimeout(nudge, ms));
  }
  const nudge = () => { if (sent() > answered()) model.send?.({}); };
  function arm() {
    clearTimeout(timer);
    timer = sent() > answered() ? setTimeout(complain, PATIENCE_MS) : 0;
  }
  function complain() {
    onSilence();
    flush(true);
    arm();
  }
  return {
    edit(name, x) { waiting.set(name, x); flush(); if (!timer) arm(); },
    answer() { clearTimeout(timer); timer = 0; flush(); if (sent() > answered()) arm(); },
    pending: (name) => waiting.has(name) || (sent() > answered() && name in (model.get("leaf_edits").values ?? {})),
    close: () => clearTimeout(timer),
  };
}

function row(leaf, uid, hooks) {
  const id = `${uid}-leaf-${leaf.id}`;
  const range = h("input", { type: "range", class: "gl-range", step: "any", "aria-label": `${leaf.name}, slider` });
  const box = h("input", { type: "text", class: "gl-number", inputmode: "decimal", autocomplete: "off", spellcheck: "false", "aria-label": `${leaf.name}, number` });
  const element = h("div", { class: "gl-leaf", "data-kind": leaf.kind, "data-leaf": leaf.name, id },
    h("span", { class: "gl-dot", "aria-hidden": "true" }), h("span", { class: "gl-leaf-name", title: leaf.name }, leaf.name), range, box);
  const state = { x: 0, text: "", low: leaf.low, high: leaf.high };

  function place() {
    if (Number.isFinite(state.x)) [state.low, state.high] = [Math.min(state.low, state.x), Math.max(state.high, state.x)];
    setAttribute(range, "min", String(state.low));
    setAttribute(range, "max", String(state.high));
    if (Number.isFinite(state.x) && Number(range.value) !== state.x) range.value = String(state.x);
    const part = (state.x - state.low) / (state.high - state.low || 1);
    range.style.setProperty("--gl-part", `${clamp(100 * part, 0, 100) || 0}%`);
    setAttribute(range, "aria-valuetext", state.text);
    if (document.activeElement !== box && box.getRootNode().activeElement !== box) box.value = state.text;
  }
  function edit(x, quiet = false) {
    [state.x, state.text] = [x, draft(x)];
    setAttribute(box, "aria-invalid", null);
    place();
    if (!quiet) hooks.edit(leaf.name, x);
  }
  const snap = (x) => Number((Math.round(x / leaf.step) * leaf.step).toPrecision(12));
  const nudge = (times) => edit(snap((Number.isFinite(state.x) ? state.x : 0) + times * leaf.step));

  const JUMPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };
  function onKey(event) {
    const sideways = event.target === box && /Left|Right/.test(event.key);
    if (event.key in JUMPS && !sideways && !event.ctrlKey && !event.metaKey) nudge(JUMPS[event.key] * (event.shiftKey ? 10 : 1));
    else if (event.target === range && event.key === "Home") edit(state.low);
    else if (event.target === range && event.key === "End") edit(state.high);
    else if (event.target === box && event.key === "Enter") commit();
    else if (event.target === box && event.key === "Escape") return void (box.value = state.text);
    else return;
    if (event.target === box && event.key !== "Enter") box.value = state.text;
    event.preventDefault();
  }
  function commit() {
    const x = box.value === state.text ? state.x : parseNumber(box.value);
    if (Object.is(x, state.x)) return setAttribute(box, "aria-invalid", null);
    setAttribute(box, "aria-invalid", x === null ? "true" : null);
    if (x === null) hooks.complain(`${leaf.name} needs a number such as 2.5 or −3; “${box.value.slice(0, 24)}” is not one. ${leaf.name} stays ${state.text}.`);
    else { hooks.complain(""); edit(x); }
  }
  range.addEventListener("input", () => edit(snap(clamp(Number(range.value), state.low, state.high))));
  range.addEventListener("keydown", onKey);
  box.addEventListener("keydown", onKey);
  box.addEventListener("change", commit);
  box.addEventListener("focus", () => { box.value = pythonText(state.x).replace("-", "−"); box.select(); });
  box.addEventListener("blur", () => { if (!box.hasAttribute("aria-invalid")) box.value = state.text; });

  return { element, name: leaf.name, show(raw, text) { [state.x, state.text] = [parseNumber(raw) ?? NaN, text]; place(); } };
}

export function createLeaves(uid, sender, { complain }) {
  const element = h("div", { class: "gl-leaves", role: "group", "aria-label": "leaves" });
  let rows = [];
  return {
    element,
    build(leaves) {
      const known = new Map(rows.map((item) => [item.name, item]));
      const same = rows.length === leaves.length && leaves.every((leaf, i) => rows[i].name === leaf.name);
      if (same && known.size === leaves.length) return; // a new layout must not take a slider out of the hand
      rows = leaves.map((leaf) => row(leaf, uid, { edit: sender.edit, complain }));
      element.replaceChildren(...rows.map((item) => item.element));
    },
    /** `leaves` of a frame: [as Python wrote it, as it is shown]. A leaf that is being edited keeps what the hand says. */
    show(leaves) {
      leaves.forEach(([raw, text], i) => { if (rows[i] && !sender.pending(rows[i].name)) rows[i].show(raw, text); });
    },
  };
}
