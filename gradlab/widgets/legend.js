// The legend lists every kind and every gradient state in use; the search finds nodes in a large graph.
import { h, setText } from "./dom.js";

const SEARCH_FROM_NODES = 13;

export function createLegend() {
  const element = h("div", { class: "gl-legend", role: "group", "aria-label": "legend" });
  return {
    element,
    build(geometry) {
      element.replaceChildren(...geometry.legend.map(({ sort, key, mark, word }) => h("span", {}, sort === "kind"
        ? h("i", { class: "gl-key", "data-kind": key, "aria-hidden": "true" })
        : h("i", { class: "gl-key-mark", "data-state": key, "aria-hidden": "true" }, mark), word)));
    },
  };
}

export function createSearch({ matched, choose }) {
  const box = h("input", { type: "search", class: "gl-search", placeholder: "find a node", "aria-label": "find a node", spellcheck: "false" });
  const count = h("span", { class: "gl-found", role: "status" });
  const element = h("div", { class: "gl-find", hidden: true }, box, count);
  let graph = null, found = [];
  function look() {
    const wanted = box.value.trim().toLowerCase();
    found = wanted ? [...graph.node.values()].filter((node) => `${node.name} ${node.operation} ${node.kind}`.toLowerCase().includes(wanted)) : [];
    setText(count, wanted ? `${found.length} found` : "");
    matched(wanted ? new Set(found.map((node) => node.id)) : null);
  }
  box.addEventListener("input", look);
  box.addEventListener("keydown", (event) => { if (event.key === "Enter" && found.length) choose(found[0].id); });
  return {
    element,
    build(next) {
      graph = next;
      element.hidden = graph.node.size < SEARCH_FROM_NODES;
      if (box.value) look();
    },
  };
}
