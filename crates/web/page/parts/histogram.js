// Counts over time, errors at the base. A range is dragged out, or taken by Shift and the arrows and Enter.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { GROUPS } from "../lib/level.js";
import { count } from "../lib/number.js";
import { niceStep, stamp, tick } from "../lib/time.js";
import { settings } from "../state/settings.js";
import { useSignal } from "../state/signal.js";
import { canvasOf, colour } from "./canvas.js";

const HEIGHT = 112;
const AXIS = 18;
const LEFT = 44;
/** Levels of a bar are told apart where their colours look alike, too. */
const GAP = 1;

export function Histogram({ data, choose }) {
  const canvas = useRef(null);
  // Kept beside the state, because events come faster than renderings.
  const held = useRef(null);
  const [range, show] = useState(null);
  const setRange = (next) => {
    held.current = next;
    show(next);
  };
  const [width, setWidth] = useState(0);
  const { theme, utc } = useSignal(settings);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    watch.observe(canvas.current.parentElement);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (width && data) draw(canvas.current, data, width, range);
  }, [data, width, range, theme, utc]);
  const inner = width - LEFT - 4;
  const timeAt = (x) => data.from + (Math.max(0, Math.min(inner, x - LEFT)) / inner) * (data.to - data.from);
  const down = (event) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = timeAt(event.offsetX);
    setRange([at, at]);
  };
  const up = () => {
    if (!held.current) return;
    const [from, to] = [Math.min(...held.current), Math.max(...held.current)];
    setRange(null);
    const bar = Math.floor(from / data.step) * data.step;
    if (to - from < data.step / 4) choose(bar, bar + data.step - 1);
    else choose(Math.round(from), Math.round(to));
  };
  const key = (event) => {
    const move = { ArrowLeft: -data.step, ArrowRight: data.step }[event.key];
    if (move) {
      event.preventDefault();
      const [from, to] = range ?? [data.from, data.from + data.step];
      setRange(event.shiftKey ? [from, to + move] : [from + move, to + move]);
    }
    if (event.key === "Enter" && range) up();
    if (event.key === "Escape") setRange(null);
  };
  const sentence = data ? `${count(data.total)} lines from ${stamp(data.from)} to ${stamp(data.to)}. Arrows move a range, with Shift they widen it, Enter takes it.` : "No bars yet";
  return html`<div class="histogram">
    <canvas ref=${canvas} tabindex="0" role="img" aria-label=${sentence} onPointerDown=${data && down} onPointerMove=${(event) => held.current && event.buttons && setRange([held.current[0], timeAt(event.offsetX)])} onPointerUp=${data && up} onKeyDown=${data && key}></canvas>
  </div>`;
}

function draw(canvas, data, width, range) {
  const context = canvasOf(canvas, width, HEIGHT);
  const inner = width - LEFT - 4;
  const base = HEIGHT - AXIS;
  const most = Math.max(1, ...data.bars.map((bar) => bar.total));
  const x = (at) => LEFT + ((at - data.from) / (data.to - data.from || 1)) * inner;
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = colour("--muted");
  context.textAlign = "right";
  context.fillText(count(most), LEFT - 6, 12);
  context.fillText("0", LEFT - 6, base);
  context.fillStyle = colour("--hairline");
  context.fillRect(LEFT, base, inner, 1);
  context.fillRect(LEFT, 6, inner, 1);
  const step = niceStep(data.to - data.from, Math.max(2, width / 110));
  context.textAlign = "center";
  for (let at = Math.ceil(data.from / step) * step; at <= data.to; at += step) {
    context.fillStyle = colour("--muted");
    if (x(at) > LEFT + 16 && x(at) < width - 24) context.fillText(tick(at, step), x(at), HEIGHT - 4);
  }
  const wide = Math.max(1, (data.step / (data.to - data.from || 1)) * inner - 1);
  for (const bar of data.bars) {
    let bottom = base;
    for (const { name } of GROUPS) {
      const high = ((bar.counts[name] ?? 0) / most) * (base - 7);
      if (!high) continue;
      context.fillStyle = colour(`--${name}-bar`);
      const tall = Math.max(1, high);
      const gap = bottom < base && tall > 2 * GAP ? GAP : 0;
      context.fillRect(Math.max(LEFT, x(bar.at)), bottom - tall, Math.min(wide, width - x(bar.at)), tall - gap);
      bottom -= tall;
    }
  }
  if (range) {
    context.fillStyle = colour("--accent");
    context.globalAlpha = 0.25;
    context.fillRect(x(Math.min(...range)), 0, Math.max(1, x(Math.max(...range)) - x(Math.min(...range))), base);
    context.globalAlpha = 1;
  }
}
