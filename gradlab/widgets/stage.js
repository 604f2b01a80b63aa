// The surface that holds the picture: its size, zoom with Ctrl and the wheel, moving it about by dragging.
import { button, clamp, h, setAttribute, setIcon, stillness } from "./dom.js";

const SMALLEST_FIT = 0.6, READABLE = 0.78, LARGEST_FIT = 1.15, HIGHEST_PX = 640, MARGIN_PX = 6;

export function createStage(svg, { turn, refold }) {
  const element = h("div", { class: "gl-stage" }, svg);
  let size = { width: 1, height: 1 }, zoom = 1, chosen = false;

  const room = () => Math.max(120, element.clientWidth - 2 * MARGIN_PX);
  /** All of it, if it stays readable; otherwise a part of it, in a size that is. */
  function fitted() {
    const all = Math.min(room() / size.width, HIGHEST_PX / size.height, LARGEST_FIT);
    const wide = Math.min(room() / size.width, LARGEST_FIT);
    return all >= SMALLEST_FIT ? all : wide >= SMALLEST_FIT ? Math.min(wide, READABLE) : READABLE;
  }

  function apply(next) {
    zoom = clamp(next, 0.15, 4);
    svg.style.width = `${size.width * zoom}px`;
    svg.style.height = `${size.height * zoom}px`;
  }

  function fit() {
    if (!element.isConnected) return; // nothing has a size yet
    apply(fitted());
    element.style.height = `${Math.min(size.height * zoom, HIGHEST_PX) + 2 * MARGIN_PX}px`;
    chosen = false;
  }

  function whole() {
    apply(Math.min(room() / size.width, (element.clientHeight - 2 * MARGIN_PX) / size.height, LARGEST_FIT));
    chosen = true;
  }

  /** Zoom so that the point under (x, y), in px from the top left of the stage, stays where it is. */
  function zoomAt(factor, x = element.clientWidth / 2, y = element.clientHeight / 2) {
    const before = zoom;
    const [px, py] = [element.scrollLeft + x, element.scrollTop + y];
    apply(zoom * factor);
    chosen = true;
    element.scrollLeft = (px * zoom) / before - x;
    element.scrollTop = (py * zoom) / before - y;
  }

  function onWheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // a plain wheel belongs to the page
    event.preventDefault();
    const box = element.getBoundingClientRect();
    zoomAt(Math.exp(-clamp(event.deltaY, -120, 120) * 0.0025), event.clientX - box.left, event.clientY - box.top);
  }

  let grip = null;
  function onDown(event) {
    if (event.button !== 0 || event.target.closest(".gl-node, .gl-edge, button")) return;
    grip = { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop };
    element.setPointerCapture(event.pointerId);
  }
  function onMove(event) {
    if (!grip) return;
    element.scrollLeft = grip.left - (event.clientX - grip.x);
    element.scrollTop = grip.top - (event.clientY - grip.y);
  }
  const onUp = () => (grip = null);

  /** Bring a card into sight, if it is not. */
  function reveal(box) {
    const span = (start, length, seen, view) => {
      const low = start * zoom + MARGIN_PX, high = (start + length) * zoom + MARGIN_PX;
      return low < seen + 8 || high > seen + view - 8 ? clamp((low + high - view) / 2, 0, 1e6) : seen;
    };
    const left = span(box.x, box.w, element.scrollLeft, element.clientWidth);
    const top = span(box.y, box.h, element.scrollTop, element.clientHeight);
    if (left !== element.scrollLeft || top !== element.scrollTop) element.scrollTo({ left, top, behavior: stillness() ? "instant" : "smooth" });
  }

  const listeners = { wheel: onWheel, pointerdown: onDown, pointermove: onMove, pointerup: onUp, pointercancel: onUp };
  for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener, { passive: false });
  const watcher = new ResizeObserver(() => { if (!chosen) fit(); });
  watcher.observe(element);

  const again = button("fold", "fold everything again", { word: "fold", onClick: refold, hidden: true });
  const direction = button("down", "draw from top to bottom", { onClick: turn });
  const tools = h("div", { class: "gl-tools", role: "group", "aria-label": "picture" },
    again, direction, button("out", "zoom out", { onClick: () => zoomAt(1 / 1.25) }),
    button("fit", "show the whole picture", { onClick: whole }), button("in", "zoom in", { onClick: () => zoomAt(1.25) }));

  return {
    element, tools, reveal, fit,
    resize(geometry, opened) {
      size = geometry;
      again.hidden = !opened;
      const across = geometry.rankdir === "LR";
      setIcon(direction, across ? "down" : "right");
      for (const name of ["aria-label", "title"]) setAttribute(direction, name, across ? "draw from top to bottom" : "draw from left to right");
      fit();
    },
    close: () => watcher.disconnect(),
  };
}
