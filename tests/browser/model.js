// What a notebook gives a widget, in a few lines: a model with get, set, on, off and save_changes.
export function createModel(state, send = () => {}) {
  const listeners = new Map();
  const changed = new Set();
  const tell = (name) => [...(listeners.get(`change:${name}`) ?? [])].forEach((listener) => listener());
  const model = {
    get: (name) => state[name],
    set(name, value) {
      state[name] = value;
      changed.add(name);
      tell(name);
    },
    on: (event, listener) => listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    off: (event, listener) => listeners.get(event)?.delete(listener),
    save_changes() {
      const update = Object.fromEntries([...changed].map((name) => [name, structuredClone(state[name])]));
      changed.clear();
      if (Object.keys(update).length) send(update);
    },
    /** An update from the kernel: all values are in place before anybody is told. */
    receive(update) {
      Object.assign(state, update);
      Object.keys(update).forEach(tell);
    },
    listeners: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
  return model;
}
