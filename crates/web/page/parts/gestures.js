// Pointers on a picture over time: one of a mouse marks a range, with Shift it pulls; one finger moves the cursor, two pull and stretch.

import { useRef, useState } from "../lib/html.js";

/**
 * @param {{from: number, to: number}} data what the picture shows
 * @param {(x: number, from: number, to: number) => number} timeAt
 * @param {(from: number, to: number) => void} choose
 * @param {(time: number | null) => void} setCursor
 */
export function useGestures(data, timeAt, choose, setCursor) {
  const pointers = useRef(new Map());
  // Kept beside the state, because events come faster than renderings.
  const held = useRef({ range: null, view: null });
  const [shown, show] = useState({ range: null, view: null });
  const set = (next) => show((held.current = { range: null, view: null, ...next }));
  const now = () => held.current.view ?? data;
  const timeOf = (event) => timeAt(event.offsetX, now().from, now().to);

  const down = (event) => {
    if (event.button) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const pulls = event.pointerType === "touch" || event.shiftKey;
    pointers.current.set(event.pointerId, { x: event.offsetX, time: timeOf(event), pulls });
    if (!pulls) set({ range: [timeOf(event), timeOf(event)] });
  };
  const move = (event) => {
    const pointer = pointers.current.get(event.pointerId);
    if (!pointer || pointers.current.size < 2) setCursor(timeOf(event));
    if (!pointer) return;
    pointer.x = event.offsetX;
    if (held.current.range) return set({ range: [held.current.range[0], timeOf(event)] });
    const all = [...pointers.current.values()];
    if (event.pointerType !== "touch") set({ view: pulled(pointer, now(), timeAt) });
    else if (all.length === 2) set({ view: stretched(all, now(), timeAt) });
  };
  const up = (event) => {
    pointers.current.delete(event.pointerId);
    const { range, view } = held.current;
    if (range) {
      set({});
      const [from, to] = [Math.min(...range), Math.max(...range)];
      if (to - from > (data.to - data.from) / 200) choose(Math.round(from), Math.round(to));
    } else if (view && !pointers.current.size) {
      set({});
      choose(Math.round(view.from), Math.round(view.to));
    }
  };
  const cancel = (event) => {
    pointers.current.delete(event.pointerId);
    set({});
  };
  return { ...shown, setRange: (range) => set({ range }), takeRange: () => up({ pointerId: undefined }), handlers: { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: cancel, onPointerLeave: () => setCursor(null) } };
}

/** The view in which the time that was taken lies under the pointer. */
function pulled({ x, time }, { from, to }, timeAt) {
  const by = time - timeAt(x, from, to);
  return { from: from + by, to: to + by };
}

/** The view in which both times that were taken lie under their fingers. */
function stretched([one, other], { from, to }, timeAt) {
  const [a, b] = [timeAt(one.x, 0, 1), timeAt(other.x, 0, 1)];
  if (Math.abs(a - b) < 0.02 || (a - b) * (one.time - other.time) <= 0) return { from, to };
  const length = (one.time - other.time) / (a - b);
  return { from: one.time - a * length, to: one.time + (1 - a) * length };
}
