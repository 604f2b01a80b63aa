// Below the picture: the formula of what is selected (symbols, then numbers, then result), the spoken line, the table.
import { factor, fill, h, setAttribute, setText } from "./dom.js";
import { STATE_MARKS, stateWords } from "./state.js";

function line(word) {
  const part = { symbols: h("span", { class: "gl-symbols" }), numbers: h("span", { class: "gl-numbers" }), result: h("b", { class: "gl-result" }) };
  part.root = h("div", { class: "gl-line-row" }, h("span", { class: "gl-word" }, word), part.symbols, h("span", { class: "gl-sum" }, part.numbers, part.result));
  part.word = part.root.firstChild;
  return part;
}

function write(part, content) {
  part.root.hidden = !content;
  if (!content) return;
  for (const name of ["word", "symbols", "numbers", "result"]) setText(part[name], content[name] ?? "");
  setAttribute(part.result, "data-open", /yet$|needed$/.test(content.result ?? "") ? "" : null);
}

/** value: "prediction = x·w + b", "= −6.000 + 1.000 =", "−5.000". */
function valueLine(node, state, show) {
  if (node.leaf) return { word: node.kind, symbols: node.name, numbers: "= ", result: show(node.id, "value") };
  const known = state.nodes[node.at].computed;
  return {
    word: "value", symbols: node.formula.caption,
    numbers: known ? `= ${fill(node.formula.numbers, (id) => show(id, "value"))} = ` : "", result: known ? show(node.id, "value") : "not computed yet",
  };
}

/** gradient: "∂loss/∂prediction = ∂loss/∂error · ∂error/∂prediction", "= −18.00 × 1 =", "−18.00". */
function gradientLine(node, state, show) {
  const item = state.nodes[node.at], { graph, frame } = state;
  if (item.state === "none needed") return { word: "gradient", symbols: "none needed: this is a constant", numbers: "", result: "" };
  if (node.id === graph.root) return { word: "gradient", symbols: node.formula.chain, numbers: "= ", result: item.state === "complete" ? show(node.id, "grad") : "not computed yet" };
  if (item.state === "not computed") return { word: "gradient", symbols: node.formula.chain, numbers: "", result: "not computed yet" };
  const hidden = show(node.id, "grad") === "?";
  const products = node.out.filter((edge) => edge.hands && state.edges[edge.at].sent).map((edge, i) => {
    const local = hidden ? "?" : localText(edge, frame.edges[edge.at][0]);
    return `${factor(show(edge.target, "grad"), i === 0)} × ${factor(local)}`;
  });
  const open = item.state === "partial" ? ` (${stateWords(item)})` : "";
  return { word: "gradient", symbols: node.formula.chain, numbers: `= ${products.join(" + ")} = `, result: show(node.id, "grad") + open };
}

/** A local derivative in numbers; a plain 1 or −1 stays as the rule writes it. */
const localText = (edge, local) => (/^−?1$/.test(edge.derivative) ? edge.derivative : local);

function edgeLines(edge, state, show) {
  const { graph, frame } = state;
  const [local, contribution] = frame.edges[edge.at];
  const target = graph.node.get(edge.target), source = graph.node.get(edge.source), root = graph.node.get(graph.root).name;
  const hidden = show(edge.source, "grad") === "?", sent = state.edges[edge.at].sent;
  if (!edge.hands) return [{ word: "edge", symbols: `${source.name} → ${target.name}`, numbers: "no gradient flows here: ", result: "none needed" }];
  return [
    { word: "local derivative", symbols: `∂${target.name}/∂${source.name} = ${edge.derivative}`, numbers: "= ", result: hidden ? "?" : local },
    { word: "contribution", symbols: `local derivative × ∂${root}/∂${target.name}`,
      numbers: sent ? `= ${factor(hidden ? "?" : local, true)} × ${factor(show(edge.target, "grad"))} = ` : "",
      result: sent ? (hidden ? "?" : contribution) : "not handed on yet" },
  ];
}

export function createPanel({ select, unselect, unfold }) {
  const value = line("value"), gradient = line("gradient");
  const uses = h("div", { class: "gl-uses", role: "group", "aria-label": "uses of the selected node" });
  const clear = h("button", { type: "button", class: "gl-clear", "aria-label": "clear the selection", title: "clear the selection" }, "×");
  clear.addEventListener("click", unselect);
  const open = h("button", { type: "button", class: "gl-button gl-open" });
  let fold = "";
  open.addEventListener("click", () => unfold(fold));
  const formula = h("div", { class: "gl-formula", role: "group", "aria-label": "formula" }, value.root, gradient.root, uses, open, clear);
  const say = h("div", { class: "gl-say", role: "status", "aria-live": "polite" });
  const element = h("footer", { class: "gl-foot" }, formula, say);
  let useKeys = "";

  function showUses(node, state, show) {
    const edges = node && node.out.length > 1 ? node.out.filter((edge) => edge.hands) : [];
    if (useKeys !== edges.map((edge) => edge.id).join()) {
      useKeys = edges.map((edge) => edge.id).join();
      uses.replaceChildren(...edges.map((edge) => {
        const chip = h("button", { type: "button", class: "gl-use" });
        chip.addEventListener("click", () => select(edge.id));
        return chip;
      }));
    }
    uses.hidden = !edges.length;
    edges.forEach((edge, i) => {
      const sent = state.edges[edge.at].sent && show(edge.source, "grad") !== "?";
      setText(uses.children[i], `${sent ? "●" : "○"} from ${state.graph.node.get(edge.target).name}: ${sent ? state.frame.edges[edge.at][1] : "–"}`);
    });
  }

  return {
    element,
    show(id, state, show, picked) {
      const node = state.graph.node.get(id), edge = state.graph.edge.get(id);
      const [first, second] = edge ? edgeLines(edge, state, show) : node ? [valueLine(node, state, show), gradientLine(node, state, show)] : [];
      write(value, first);
      write(gradient, second);
      showUses(node, state, show);
      fold = node?.fold ?? "";
      open.hidden = !fold;
      if (fold) setText(open, `open ${node.name}: ${node.hidden} nodes`);
      clear.hidden = !picked;
    },
    say: (text) => setText(say, text),
  };
}

const COLUMNS = ["node", "kind", "operation", "inputs", "value", "gradient", "state"];

/** The same as the picture, as a table: for screen readers, for copying, for those who like tables better. */
export function createTable({ select }) {
  const body = h("tbody", {});
  const table = h("table", {}, h("thead", {}, h("tr", {}, ...COLUMNS.map((name) => h("th", { scope: "col" }, name)))), body);
  const element = h("details", { class: "gl-table" }, h("summary", {}, "Table of all nodes"), h("div", { class: "gl-table-box" }, table));
  let rows = [], latest = null;

  function paint() {
    if (!latest || !element.open) return;
    const [state, show, selected] = latest;
    [...state.graph.node.values()].forEach((node, i) => {
      const item = state.nodes[i];
      const mark = item.state === "none needed" ? "" : STATE_MARKS[item.state];
      setText(rows[i].value, show(node.id, "value"));
      setText(rows[i].grad, show(node.id, "grad"));
      setText(rows[i].state, `${mark} ${stateWords(item)}`.trim());
      setAttribute(rows[i].root, "aria-selected", String(selected === node.id));
    });
  }
  element.addEventListener("toggle", paint);
  return {
    element,
    build(graph) {
      rows = [...graph.node.values()].map((node) => {
        const part = { value: h("td", { class: "gl-num" }), grad: h("td", { class: "gl-num" }), state: h("td", {}) };
        const inputs = node.inputs.map((id) => graph.node.get(id)?.name ?? id).join(", ");
        part.root = h("tr", {}, h("th", { scope: "row" }, node.name), h("td", {}, node.kind), h("td", {}, node.operation || "–"), h("td", {}, inputs || "–"), part.value, part.grad, part.state);
        part.root.addEventListener("click", () => select(node.id));
        return part;
      });
      body.replaceChildren(...rows.map((part) => part.root));
    },
    show(state, show, selected) { latest = [state, show, selected]; paint(); },
  };
}
