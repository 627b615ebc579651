// The histogram turned upright, beside a list that is too long for a scrollbar: it says where one is in time, and leads anywhere.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { stamp } from "../lib/time.js";
import { settings } from "../state/settings.js";
import { useSignal } from "../state/signal.js";
import { canvasOf, colour, useRoom } from "./canvas.js";

const WIDTH = 24;
/** A drag asks for lines only where it rests. */
const REST_MS = 120;
const THUMB_MIN = 6;
const PAGE_BARS = 10;

/**
 * Newest on top.
 * @param {{data: {from: number, to: number, step: number, bars: object[]} | null, newest: number, oldest: number, choose: (time: number) => void}} props
 * `newest` and `oldest` are the times of what is seen now.
 */
export function TimeRail({ data, newest, oldest, choose }) {
  const canvas = useRef(null);
  const rest = useRef(0);
  const [dragged, setDragged] = useState(null);
  const { height } = useRoom(canvas);
  const { theme } = useSignal(settings);
  // Those seen stand where they were asked for until others come.
  useEffect(() => setDragged(null), [newest]);
  const top = dragged ?? newest;
  useLayoutEffect(() => {
    if (height && data) draw(canvas.current, data, height, top, dragged === null ? oldest : top);
  }, [data, height, top, oldest, theme]);
  useEffect(() => () => clearTimeout(rest.current), []);
  const take = (time, wait) => {
    const within = Math.max(data.from, Math.min(data.to, time));
    setDragged(within);
    clearTimeout(rest.current);
    rest.current = setTimeout(() => choose(within), wait);
  };
  const pointed = (event) => take(data.to - (event.offsetY / height) * (data.to - data.from), REST_MS);
  const down = (event) => {
    if (event.button) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    pointed(event);
  };
  const key = (event) => {
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: PAGE_BARS, PageDown: -PAGE_BARS }[event.key];
    const end = { Home: data.to, End: data.from }[event.key];
    if (steps === undefined && end === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    take(end ?? (top ?? data.to) + steps * data.step, REST_MS);
  };
  return html`<div class="time-rail">
    <canvas ref=${canvas} tabindex=${data ? 0 : -1} role="slider" aria-orientation="vertical" aria-label="Time of the lines" aria-valuemin=${data?.from ?? 0} aria-valuemax=${data?.to ?? 0} aria-valuenow=${top ?? data?.to ?? 0} aria-valuetext=${top ? stamp(top) : "no lines"} title=${top ? stamp(top) : undefined}
      onPointerDown=${data && down} onPointerMove=${data && ((event) => event.buttons && pointed(event))} onKeyDown=${data && key}></canvas>
  </div>`;
}

function draw(canvas, data, height, newest, oldest) {
  const context = canvasOf(canvas, WIDTH, height);
  const span = data.to - data.from || 1;
  const y = (time) => Math.max(0, Math.min(height, ((data.to - time) / span) * height));
  const most = Math.max(1, ...data.bars.map((bar) => bar.total));
  // Asked once: the browser works a style out anew for each asking.
  const [all, errors] = [colour("--other-bar"), colour("--error-bar")];
  for (const bar of data.bars) {
    if (!bar.total) continue;
    const [from, to] = [y(bar.at + data.step), y(bar.at)];
    // Errors at the right edge, as a share of their bar.
    const fill = (lines, ink) => {
      const wide = Math.max(1, (lines / most) * WIDTH);
      context.fillStyle = ink;
      context.fillRect(WIDTH - wide, from, wide, Math.max(1, to - from + 0.5));
    };
    fill(bar.total, all);
    if (bar.counts.error) fill(bar.counts.error, errors);
  }
  if (newest === undefined) return;
  const high = Math.max(THUMB_MIN, y(oldest ?? newest) - y(newest));
  const at = Math.min(height - high, y(newest));
  context.fillStyle = colour("--accent");
  context.globalAlpha = 0.3;
  context.fillRect(0, at, WIDTH, high);
  context.globalAlpha = 1;
  context.lineWidth = 2;
  context.strokeStyle = colour("--accent");
  context.strokeRect(1, at + 1, WIDTH - 2, high - 2);
}
