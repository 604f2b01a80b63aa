// What is to be seen after some steps: plain data from geometry, frame and cursor. Every number was computed in Python.

const NONE = "–";

/** Lookups that hold as long as the topology does. */
export function indexed(geometry) {
  const node = new Map(geometry.nodes.map((item, i) => [item.id, { ...item, at: i, into: [], out: [] }]));
  const edge = new Map(geometry.edges.map((item, i) => [item.id, { ...item, at: i }]));
  for (const item of edge.values()) {
    node.get(item.target)?.into.push(item);
    node.get(item.source)?.out.push(item);
  }
  return { geometry, node, edge, steps: geometry.steps, root: geometry.root };
}

/** The forward steps that were taken, the edges that handed a gradient on, and the step that was taken last. */
function walked(graph, cursor) {
  const taken = graph.steps.slice(0, cursor.at);
  const last = cursor.now ? taken.at(-1) : undefined;
  const computed = new Set(), sent = new Set();
  let seeded = false;
  for (const step of taken) {
    if (step.phase === "forward") computed.add(step.node);
    else seeded = true;
    if (step.phase === "backward") step.edges.forEach((id) => sent.add(id));
  }
  return { computed, sent, seeded, last };
}

function gradientOf(node, graph, frame, walk) {
  if (!node.needs) return { grad: "none", state: "none needed", added: 0, uses: 0 };
  if (node.id === graph.root) {
    return walk.seeded
      ? { grad: frame.grads[node.at], state: "complete", added: 1, uses: 1 }
      : { grad: NONE, state: "not computed", added: 0, uses: 1 };
  }
  const handing = node.out.filter((edge) => edge.hands);
  const added = handing.filter((edge) => walk.sent.has(edge.id));
  const uses = handing.length;
  if (!added.length) return { grad: NONE, state: "not computed", added: 0, uses };
  if (added.length === uses) return { grad: frame.grads[node.at], state: "complete", added: uses, uses };
  const latest = added.reduce((a, b) => (graph.order.get(a.id) > graph.order.get(b.id) ? a : b));
  return { grad: frame.edges[latest.at][2], state: "partial", added: added.length, uses };
}

function edgeState(edge, walk, computed) {
  if (walk.last?.edges.includes(edge.id)) return walk.last.phase;
  return computed(edge.target) ? (walk.sent.has(edge.id) ? "sent" : "used") : "waiting";
}

/** { nodes: [{value, grad, state, added, uses, now}], edges: [{state, known}], last } in the order of the geometry. */
export function stateAt(graph, frame, cursor) {
  graph.order ??= new Map(graph.steps.flatMap((step) => (step.phase === "backward" ? step.edges : [])).map((id, i) => [id, i]));
  const walk = walked(graph, cursor);
  const computed = (id) => graph.node.get(id).leaf || walk.computed.has(id);
  const nodes = [...graph.node.values()].map((node) => ({
    value: computed(node.id) ? frame.values[node.at] : NONE,
    computed: computed(node.id),
    now: walk.last?.node === node.id ? walk.last.phase : "",
    ...gradientOf(node, graph, frame, walk),
  }));
  const edges = [...graph.edge.values()].map((edge) => ({ state: edgeState(edge, walk, computed), sent: walk.sent.has(edge.id) }));
  return { nodes, edges, last: walk.last, graph, frame, cursor };
}

/** The words beside the bar: "forward 2 of 4", "backward 3 of 5", "at the start". */
export function progress(graph, cursor) {
  if (!graph.steps.length) return "nothing to step through";
  if (cursor.at === 0) return "at the start";
  const step = graph.steps[cursor.at - 1];
  const same = graph.steps.filter((other) => other.phase === step.phase);
  return `${step.phase} ${same.indexOf(step) + 1} of ${same.length}`;
}

export const STATE_MARKS = { "not computed": "○", partial: "◐", complete: "●", "none needed": "–" };

/** "1 of 2 added", "complete", … in the words of the legend. */
export function stateWords(item) {
  return item.state === "partial" ? `${item.added} of ${item.uses} added` : item.state;
}
