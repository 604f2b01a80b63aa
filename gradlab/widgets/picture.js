// The picture: one <svg> that is built when the topology changes and afterwards only has its texts and classes changed.
import { s, setText, setAttribute } from "./dom.js";
import { STATE_MARKS, stateWords } from "./state.js";

const HEADS = ["used", "forward", "waiting", "backward", "picked"];

function heads(uid) {
  return HEADS.map((state) => {
    const back = state === "backward";
    return s("marker", { id: `${uid}-${state}`, viewBox: "0 0 8 8", refX: back ? 0 : 1, refY: 4, markerUnits: "userSpaceOnUse",
      markerWidth: back ? 11 : 9, markerHeight: back ? 11 : 9, orient: "auto" },
      s("path", { class: `gl-head gl-head-${state}`, d: back ? "M8 0L0 4L8 8z" : "M0 0L8 4L0 8z" }));
  });
}

/** The outline of a card; outputs and losses have a second line inside. */
function outlines(kind, w, h) {
  const outer = s("rect", { class: "gl-box", width: w, height: h, rx: kind.radius });
  if (kind.shape !== "double") return [outer];
  return [outer, s("rect", { class: "gl-inner", x: 3.5, y: 3.5, width: w - 7, height: h - 7, rx: Math.max(1, kind.radius - 2) })];
}

/** The round or long sign of the operation, in front of the name. */
function chip(node) {
  if (!node.symbol) return [];
  const { left, top, width, height, font } = node.chip;
  return [s("rect", { class: "gl-chip", x: left, y: top, width, height, rx: height / 2 }),
    s("text", { class: "gl-symbol", x: left + width / 2, y: top + height / 2 + font * 0.34, "font-size": font, "text-anchor": "middle" }, node.symbol)];
}

function card(node, kind) {
  const { w, h, pad } = node;
  const number = (name, y) => s("text", { class: name, x: w - pad - 17, y, "text-anchor": "end" });
  const label = (y, word) => s("text", { class: "gl-label", x: pad, y }, word);
  const part = {
    value: number("gl-val", node.value_y), grad: number("gl-grad", node.grad_y),
    mark: s("text", { class: "gl-mark", x: w - pad, y: node.grad_y, "text-anchor": "end" }), title: s("title", {}),
  };
  const shape = node.shape ? [label(node.value_y - 19, "shape"), s("text", { class: "gl-shape", x: w - pad - 17, y: node.value_y - 19, "text-anchor": "end" }, node.shape)] : [];
  part.root = s("g", { class: "gl-node", "data-kind": node.kind, "data-node": node.id, "data-name": node.name,
    transform: `translate(${node.x} ${node.y})`, tabindex: -1, role: "button", "aria-pressed": "false" },
    part.title, ...outlines(kind, w, h), ...chip(node), s("text", { class: "gl-name", x: node.name_x, y: 26 }, node.short),
    s("line", { class: "gl-rule", x1: pad, x2: w - pad, y1: 37, y2: 37 }),
    ...shape, label(node.value_y, "value"), label(node.grad_y, "gradient"), part.value, part.grad, part.mark);
  return part;
}

function wire(edge, names) {
  const part = {
    title: s("title", {}),
    path: s("path", { class: "gl-line", d: edge.d }),
    text: s("text", { "text-anchor": "middle", y: 4 }),
    pill: s("rect", { y: -10, height: 20, rx: 10 }),
  };
  part.label = s("g", { class: "gl-pill", transform: `translate(${edge.lx} ${edge.ly})` }, part.pill, part.text);
  part.root = s("g", { class: "gl-edge", "data-edge": edge.id, tabindex: -1, role: "button", "aria-pressed": "false",
    "aria-label": `edge from ${names(edge.source)} to ${names(edge.target)}` },
    part.title, s("path", { class: "gl-hit", d: edge.d }), part.path);
  return part;
}

export function createPicture(uid) {
  const wires = s("g", { class: "gl-wires" });
  const cards = s("g", { class: "gl-cards" });
  const pills = s("g", { class: "gl-pills" });
  const svg = s("svg", { class: "gl-picture", role: "group" }, s("defs", {}, ...heads(uid)), wires, cards, pills);
  let nodes = [], edges = [];

  function build(graph) {
    const { geometry } = graph;
    const names = (id) => graph.node.get(id).name;
    svg.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
    setAttribute(svg, "aria-label", `computational graph of ${geometry.title}: ${nodes_and_edges(geometry)}. Arrow keys follow the edges.`);
    nodes = geometry.nodes.map((node) => card(node, geometry.kinds[node.kind]));
    edges = geometry.edges.map((edge) => wire(edge, names));
    wires.replaceChildren(...edges.map((part) => part.root));
    cards.replaceChildren(...nodes.map((part) => part.root));
    pills.replaceChildren(...edges.map((part) => part.label));
  }

  /** Bring texts and classes up to date. `look` says what is selected, picked out, hidden or matched. */
  function show(state, look) {
    const { graph } = state;
    const values = [...graph.node.values()];
    values.forEach((node, i) => showNode(nodes[i], node, state.nodes[i], look));
    [...graph.edge.values()].forEach((edge, i) => showEdge(edges[i], edge, state, look));
  }

  function showNode(part, node, item, look) {
    const value = look.mask(node.id, "value", item.value), grad = look.mask(node.id, "grad", item.grad);
    setText(part.value, value);
    setText(part.grad, grad);
    setText(part.mark, STATE_MARKS[item.state]);
    const words = item.state === "none needed" ? "gradient none needed" : `gradient ${grad}, ${stateWords(item)}`;
    setAttribute(part.root, "aria-label", `${node.name}, ${node.kind}${node.operation ? " " + node.operation : ""}, value ${value}, ${words}`);
    setText(part.title, `${node.name}\n${node.hint}\nvalue ${value}\n${words}`);
    setAttribute(part.root, "aria-pressed", String(look.selected === node.id));
    setAttribute(part.root, "data-state", item.state);
    setAttribute(part.root, "data-now", item.now || null);
    setAttribute(part.root, "data-dim", look.dims(node.id) ? "" : null);
    setAttribute(part.root, "data-computed", item.computed ? "" : null);
  }

  function showEdge(part, edge, state, look) {
    const item = state.edges[edge.at];
    const picked = look.selected === edge.id || look.path.has(edge.id);
    const mode = picked && item.state !== "backward" ? "picked" : item.state === "sent" ? "used" : item.state;
    const backward = mode === "backward";
    setAttribute(part.root, "data-state", item.state);
    setAttribute(part.root, "data-picked", picked ? "" : null);
    setAttribute(part.root, "data-dim", look.dims(edge.id) ? "" : null);
    setAttribute(part.root, "aria-pressed", String(look.selected === edge.id));
    setAttribute(part.path, "d", backward ? edge.d_back : edge.d); // without a head at its end the line goes on to the card
    setAttribute(part.path, "marker-end", backward ? null : `url(#${uid}-${mode})`);
    setAttribute(part.path, "marker-start", backward ? `url(#${uid}-backward)` : null);
    const text = look.pill(edge, item);
    setText(part.text, text);
    setAttribute(part.label, "data-shown", text ? "" : null);
    if (text) {
      const width = 7.4 * [...text].length + 18;
      setAttribute(part.pill, "width", String(width));
      setAttribute(part.pill, "x", String(-width / 2));
    }
    setText(part.title, look.about(edge, item));
  }

  /** Exactly one card can be reached with Tab; arrows move on from there. */
  function setTabStop(id) {
    for (const part of [...nodes, ...edges]) {
      const mine = (part.root.dataset.node ?? part.root.dataset.edge) === id;
      setAttribute(part.root, "tabindex", mine ? "0" : "-1");
    }
  }

  const find = (id) => svg.querySelector(`[data-node="${id}"],[data-edge="${id}"]`);
  return { svg, build, show, setTabStop, find };
}

function nodes_and_edges(geometry) {
  const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  return `${count(geometry.nodes.length, "node")}, ${count(geometry.edges.length, "edge")}`;
}
