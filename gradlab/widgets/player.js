// Step forward and backward, run, pause, back to the start, scrub. The cursor is all that it moves.
import { button, clamp, h, setAttribute, setIcon, setText } from "./dom.js";
import { progress } from "./state.js";

const PACE_MS = 900;

export function createPlayer({ cursor, move, steps }) {
  let timer = 0;
  const last = () => steps().length;
  const go = (at, now = true) => move({ at: clamp(at, 0, last()), now });

  function pause() {
    clearInterval(timer);
    timer = 0;
    dress();
  }
  function run() {
    if (timer) return pause();
    if (cursor().at >= last()) go(0);
    else step();
    timer = setInterval(() => (cursor().at >= last() ? pause() : step(false)), PACE_MS);
    return dress();
  }
  /** One step on; from the end it starts over, as a player of music does. */
  function step(byHand = true) {
    if (byHand && timer) pause();
    const at = cursor().at;
    go(at >= last() ? Math.min(1, last()) : at + 1);
    if (timer && cursor().at >= last()) pause();
  }
  function back() {
    if (timer) pause();
    go(cursor().at - 1);
  }

  const buttons = [
    button("reset", "back to the start", { onClick: () => { pause(); go(0); } }),
    button("back", "one step back", { onClick: back }),
    button("step", "one step", { word: "step", onClick: () => step() }),
    button("run", "run", { word: "run", onClick: run }),
    button("end", "to the end: show everything", { onClick: () => { pause(); go(last(), false); } }),
  ];
  const [reset, , stepping, running] = buttons;
  stepping.classList.add("gl-primary");
  const controls = h("div", { class: "gl-controls", role: "toolbar", "aria-label": "steps" }, ...buttons);
  buttons.forEach((node, i) => setAttribute(node, "tabindex", i === 2 ? "0" : "-1"));
  controls.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const now = buttons.indexOf(event.target.closest("button"));
    const next = buttons[(now + by + buttons.length) % buttons.length];
    buttons.forEach((node) => setAttribute(node, "tabindex", node === next ? "0" : "-1"));
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  });

  const scrub = h("input", { type: "range", class: "gl-range gl-scrub", min: 0, step: 1, "aria-label": "steps taken" });
  scrub.addEventListener("input", () => { pause(); go(Number(scrub.value)); });
  const words = h("span", { class: "gl-progress" });
  const element = h("div", { class: "gl-player" }, controls, scrub, words);

  function dress() {
    const on = timer !== 0;
    setIcon(running, on ? "pause" : "run");
    setText(running.lastChild, on ? "pause" : "run");
    for (const name of ["aria-label", "title"]) setAttribute(running, name, on ? "pause" : "run");
  }

  return {
    element, step, back, pause,
    show(graph) {
      const { at } = cursor();
      const count = last();
      scrub.max = String(count);
      scrub.value = String(at);
      const forward = graph.steps.filter((item) => item.phase === "forward").length;
      scrub.style.setProperty("--gl-part", `${(100 * at) / Math.max(1, count)}%`);
      scrub.style.setProperty("--gl-half", `${(100 * forward) / Math.max(1, count)}%`);
      setText(words, progress(graph, cursor()));
      setAttribute(scrub, "aria-valuetext", words.textContent);
      for (const node of [reset, buttons[1]]) setAttribute(node, "aria-disabled", at === 0 ? "true" : null);
    },
  };
}
