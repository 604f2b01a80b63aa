// GraphExplorer: puts the parts together for one view of the model.
//
// Traits and their one writer: geometry, frame, command (kernel); leaf_edits, cursor, selected, mode, rankdir (front end).
// Every number and every text about numbers arrives in `frame`; stepping needs no kernel, since it only shows less or more of it.
import { fill, h, setAttribute, setText } from "./dom.js";
import { createPicture } from "./picture.js";
import { createStage } from "./stage.js";
import { createLeaves, createSender } from "./leaves.js";
import { createPanel, createTable } from "./panel.js";
import { createPlayer } from "./player.js";
import { createModePanel, createSwitch } from "./modes.js";
import { createLegend, createSearch } from "./legend.js";
import { createFilm } from "./film.js";
import { onKeys } from "./keys.js";
import { indexed, stateAt } from "./state.js";

let views = 0;

function createView(model, el) {
  const uid = `gl${(views += 1)}-${Math.random().toString(36).slice(2, 8)}`;
  let graph = null, frame = null, state = null, path = new Set(), matches = null, focused = "", complaint = "", staged = null;

  const mode = () => model.get("mode") || "values";
  const selected = () => model.get("selected") || "";
  const steps = () => graph?.steps ?? [];
  function cursor() {
    const { at = -1, now = false } = staged ?? model.get("cursor") ?? {};
    return { at: at < 0 ? steps().length : Math.min(at, steps().length), now };
  }
  function put(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  function move({ at, now }) {
    endFilm();
    put("cursor", { at: at >= steps().length && !now ? -1 : at, now, command: model.get("cursor")?.command ?? 0 });
  }
  const select = (id) => put("selected", id === selected() ? "" : id);

  const picture = createPicture(uid);
  const stage = createStage(picture.svg, {
    turn: () => put("rankdir", graph?.geometry.rankdir === "LR" ? "TB" : "LR"), refold: () => put("unfolded", []),
  });
  const sender = createSender(model, { onSilence: () => tell("The kernel has not answered yet. It may be busy with another cell, or need a restart.") });
  const leaves = createLeaves(uid, sender, { complain: (text) => { complaint = text; showMessage(); } });
  const player = createPlayer({ cursor, move, steps });
  const panel = createPanel({
    select, unselect: () => put("selected", ""), unfold: (fold) => put("unfolded", [...(model.get("unfolded") ?? []), fold]),
  });
  const table = createTable({ select });
  const modes = createSwitch({ mode, choose: (name) => put("mode", name) });
  const modePanel = createModePanel({
    light: (edges) => { path = new Set(edges); update(); }, changed: () => update(),
  });
  const legend = createLegend();
  const search = createSearch({ matched: (found) => { matches = found; update(); }, choose: (id) => focus(id) });
  const film = createFilm({
    show(scene, last) {
      if (scene.frame.topology !== graph?.geometry.topology) return;
      frame = scene.frame;
      staged = last ? null : { at: scene.at, now: scene.at >= 0 };
      update();
      if (scene.say) panel.say(scene.say);
    },
  });

  function endFilm() {
    film.stop();
    staged = null;
    const newest = model.get("frame");
    if (newest?.topology === graph?.geometry.topology) frame = newest;
  }

  const title = h("h2", { class: "gl-title" });
  const message = h("div", { class: "gl-message", role: "alert", hidden: true });
  const side = h("aside", { class: "gl-side" }, leaves.element, search.element, legend.element);
  const root = h("section", { class: "gl-explorer", "data-lm-suppress-shortcuts": "true", "aria-label": "graph explorer" },
    h("div", { class: "gl-frame" }, h("header", { class: "gl-top" }, title, player.element, modes.element), message,
      h("div", { class: "gl-body" }, side, h("div", { class: "gl-main" }, stage.element, stage.tools)),
      panel.element, modePanel.element, table.element));

  function tell(text) {
    complaint = text;
    showMessage();
  }
  function showMessage() {
    const own = model.get("frame")?.message;
    const text = complaint || own?.text || "";
    message.hidden = !text;
    setText(message, text);
    setAttribute(message, "data-kind", complaint ? "error" : own?.kind ?? null);
    setAttribute(root, "data-stale", own?.stale ? "" : null);
  }

  const mask = (id, which, text) => (mode() === "predict" && modePanel.predict.hides(id, which, graph.node.get(id).leaf, text) ? "?" : text);
  const shownText = (id, which) => mask(id, which, state.nodes[graph.node.get(id).at][which]);
  function pill(edge, item) {
    const [local, contribution] = frame.edges[edge.at];
    if (path.size) return path.has(edge.id) ? local : "";
    const wanted = item.state === "backward" || selected() === edge.id || (selected() === edge.source && item.sent);
    if (!wanted || !edge.hands) return "";
    if (shownText(edge.source, "grad") === "?") return "?";
    return item.sent ? contribution : selected() === edge.id && state.nodes[graph.node.get(edge.target).at].computed ? local : "";
  }
  function about(edge, item) {
    const names = `${graph.node.get(edge.source).name} → ${graph.node.get(edge.target).name}`;
    const [local, contribution] = frame.edges[edge.at];
    if (!edge.hands || mode() === "predict") return names;
    return `${names}\nlocal derivative ${edge.derivative} = ${local}${item.sent ? `\ncontribution ${contribution}` : ""}`;
  }
  const dims = (id) => (path.size ? !path.has(id) && ![...path].some((e) => [graph.edge.get(e)?.source, graph.edge.get(e)?.target].includes(id)) : matches ? graph.node.has(id) && !matches.has(id) : false);

  function spoken() {
    const text = (token) => {
      const [which, id] = [token[0], token.slice(1)];
      if (which === "r") return shownText(graph.edge.get(id).source, "grad") === "?" ? "?" : frame.edges[graph.edge.get(id).at][2];
      return shownText(id, which === "v" ? "value" : "grad");
    };
    if (state.last) return fill(state.last.say, text);
    if (cursor().at === 0) return "At the start: only the leaves have values. Press step.";
    return `Everything is computed: ${graph.node.get(graph.root).name} = ${shownText(graph.root, "value")}. Move a slider, select a node, or press step to watch how it comes about.`;
  }

  function update() {
    if (!graph || !frame) return;
    state = stateAt(graph, frame, cursor());
    const look = { selected: selected(), path, mask, pill, about, dims };
    picture.show(state, look);
    leaves.show(frame.leaves);
    player.show(graph);
    modes.show();
    modePanel.show(mode(), state, selected());
    panel.show(selected() || state.last?.node || graph.root, state, shownText, Boolean(selected()));
    panel.say(spoken());
    table.show(state, shownText, selected());
  }

  function build() {
    const geometry = model.get("geometry");
    const before = graph;
    if (!geometry?.nodes) return showEmpty(geometry);
    graph = indexed(geometry);
    if (frame?.topology !== geometry.topology) frame = null; // numbers of another graph
    picture.build(graph);
    stage.resize(geometry, Boolean(model.get("unfolded")?.length));
    leaves.build(geometry.leaves);
    legend.build(geometry);
    search.build(graph);
    table.build(graph);
    setText(title, geometry.title);
    setAttribute(title, "title", geometry.title);
    setAttribute(root, "data-empty", null);
    setAttribute(root, "data-table-only", geometry.table_only ? "" : null);
    if (geometry.table_only) table.element.open = true;
    path = new Set();
    keep(before);
    focused = graph.node.has(focused) ? focused : geometry.nodes[0]?.id ?? "";
    picture.setTabStop(focused);
  }
  function showEmpty(geometry) {
    leaves.build(geometry?.leaves ?? []);
    leaves.show(model.get("frame")?.leaves ?? []);
    setText(title, geometry?.title ?? "");
    setAttribute(root, "data-empty", "");
  }
  /** After a change of topology the same names stay selected and in focus, although their ids may differ. */
  function keep(before) {
    if (!before || before.geometry.topology === graph.geometry.topology) return;
    const moved = (id) => [...graph.node.values()].find((node) => node.name === before.node.get(id)?.name)?.id ?? "";
    focused = moved(focused);
    if (selected()) put("selected", moved(selected()));
  }

  function focus(id) {
    if (!id || !graph.node.has(id)) return;
    focused = id;
    picture.setTabStop(id);
    picture.find(id)?.focus({ preventScroll: true });
    stage.reveal(graph.node.get(id));
  }
  function leave() {
    const outside = root.parentElement?.closest("[tabindex]") ?? el.getRootNode().host?.closest("[tabindex]");
    document.activeElement?.blur();
    outside?.focus({ preventScroll: true });
  }

  function onGeometry() {
    build();
    onFrame();
  }
  function onFrame() {
    const next = model.get("frame");
    const fits = graph && next?.topology === graph.geometry.topology;
    if (frame && next && next.seq < frame.seq) return; // late: a newer edit is on the screen
    if (fits && frame && next.seq !== frame.seq) modePanel.predict.forget();
    if (fits) frame = next;
    if (next && next.answers >= (model.get("leaf_edits")?.seq ?? 0)) complaint = "";
    endFilm();
    showMessage();
    sender.answer();
    update();
  }
  function onCursor() {
    update();
    const node = graph?.node.get(state?.last?.node);
    if (node) stage.reveal(node);
  }
  function onCommand() {
    const command = model.get("command") ?? {};
    const done = model.get("cursor")?.command ?? 0;
    if (!command.id || command.id <= done) return;
    const at = command.at ?? model.get("cursor")?.at ?? -1;
    put("cursor", { at, now: command.now ?? model.get("cursor")?.now ?? false, command: command.id });
    if (command.selected !== undefined) put("selected", command.selected);
    if (command.mode) put("mode", command.mode);
    if (command.film) film.play(command.film);
  }

  picture.svg.addEventListener("click", (event) => {
    const id = event.target.closest("[data-node]")?.dataset.node ?? event.target.closest("[data-edge]")?.dataset.edge;
    if (!id) return;
    if (graph.node.has(id)) focus(id);
    select(id);
  });
  // on the stage: with a listener for focus of its own, an <svg> would be a place where Tab stops
  stage.element.addEventListener("focusin", (event) => {
    const id = event.target.closest("[data-node]")?.dataset.node;
    if (id && id !== focused) picture.setTabStop((focused = id));
  });
  onKeys(root, picture.svg, { step: () => player.step(), back: player.back, select, focus, focused: () => focused, graph: () => graph, leave });

  const listeners = { "change:geometry": onGeometry, "change:frame": onFrame, "change:cursor": onCursor, "change:selected": update, "change:mode": update, "change:command": onCommand };
  for (const [name, listener] of Object.entries(listeners)) model.on(name, listener);
  onGeometry();
  el.append(root); // complete, so that the browser lays it out once
  stage.fit();
  onCommand();

  return () => {
    for (const [name, listener] of Object.entries(listeners)) model.off(name, listener);
    player.pause();
    film.stop();
    sender.close();
    stage.close();
    root.remove();
  };
}

export function render({ model, el }) {
  return createView(model, el);
}

export default { render };
