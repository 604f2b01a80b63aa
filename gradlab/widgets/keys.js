// The keyboard. Tab enters the picture once; arrows follow edges, Enter selects, [ and ] step anywhere, Esc leaves.

/** The card one comes to from `id` by an arrow key: along an edge, or to the next card beside it. */
export function neighbour(graph, id, key) {
  const node = graph.node.get(id);
  if (!node) return graph.geometry.nodes[0]?.id;
  const across = graph.geometry.rankdir === "LR";
  const forward = across ? "ArrowRight" : "ArrowDown", backward = across ? "ArrowLeft" : "ArrowUp";
  if (key === forward) return node.out[0]?.target ?? id;
  if (key === backward) return node.into[0]?.source ?? id;
  return beside(graph, node, key === "ArrowDown" || key === "ArrowRight" ? 1 : -1, across);
}

/** Cards that share a user or an input with this one come first, then the nearest in its column (or row). */
function beside(graph, node, by, across) {
  const place = (other) => (across ? other.y + other.h / 2 : other.x + other.w / 2);
  const kin = new Set();
  for (const edge of node.out) graph.node.get(edge.target).into.forEach((other) => kin.add(other.source));
  for (const edge of node.into) graph.node.get(edge.source).out.forEach((other) => kin.add(other.target));
  const ahead = (ids) => ids.map((id) => graph.node.get(id)).filter((other) => (place(other) - place(node)) * by > 1)
    .sort((a, b) => Math.abs(place(a) - place(node)) - Math.abs(place(b) - place(node)));
  const rank = (other) => (across ? other.x : other.y);
  const column = [...graph.node.values()].filter((other) => Math.abs(rank(other) - rank(node)) < (across ? node.w : node.h));
  return (ahead([...kin])[0] ?? ahead(column.map((other) => other.id))[0] ?? node).id;
}

const ARROWS = new Set(["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"]);

/** `actions`: step, back, select(id), focus(id), focused(), graph(), leave. */
export function onKeys(root, picture, actions) {
  function inPicture(event) {
    const edge = event.target.closest?.("[data-edge]")?.dataset.edge;
    const here = edge ? actions.graph().edge.get(edge).source : actions.focused();
    if (ARROWS.has(event.key)) actions.focus(neighbour(actions.graph(), here, event.key));
    else if (event.key === "Home") actions.focus(actions.graph().geometry.nodes[0].id);
    else if (event.key === "End") actions.focus(actions.graph().root);
    else if (event.key === "Enter" || event.key === " ") actions.select(edge ?? here);
    else return false;
    return true;
  }
  function onKey(event) {
    if (event.metaKey || (event.ctrlKey && !event.altKey)) return;
    let done = true;
    if (event.key === "]") actions.step();
    else if (event.key === "[") actions.back();
    else if (event.key === "Escape") actions.leave();
    else done = picture.contains(event.target) && !event.altKey && inPicture(event);
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  }
  root.addEventListener("keydown", onKey);
}
