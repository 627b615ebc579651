// Counts over time, errors at the base. A range is dragged out, or taken by Shift and the arrows and Enter.

import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { GROUPS } from "../lib/level.js";
import { count } from "../lib/number.js";
import { stamp } from "../lib/time.js";
import { settings } from "../state/settings.js";
import { useSignal } from "../state/signal.js";
import { canvasOf, colour, shade, timeAxis, useRoom } from "./canvas.js";

const HEIGHT = 112;
const AXIS = 18;
const LEFT_MIN = 44;
const DIGIT = 7;
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
  const { width } = useRoom(canvas);
  const { theme, utc } = useSignal(settings);
  useLayoutEffect(() => {
    if (width && data) draw(canvas.current, data, width, range);
  }, [data, width, range, theme, utc]);
  const left = leftOf(data);
  const inner = width - left - 4;
  const timeAt = (x) => data.from + (Math.max(0, Math.min(inner, x - left)) / inner) * (data.to - data.from);
  const down = (event) => {
    if (event.button) return;
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
  const sentence = data ? `${data.rough ? "About " : ""}${count(data.total)} lines from ${stamp(data.from)} to ${stamp(data.to)}. Arrows move a range, with Shift they widen it, Enter takes it.` : "No bars yet";
  return html`<div class="histogram">
    <canvas ref=${canvas} style=${{ height: `${HEIGHT}px` }} tabindex="0" role="img" aria-label=${sentence} onPointerDown=${data && down} onPointerMove=${(event) => held.current && event.buttons && setRange([held.current[0], timeAt(event.offsetX)])} onPointerUp=${data && up} onPointerCancel=${() => setRange(null)} onKeyDown=${data && key}></canvas>
  </div>`;
}

const mostOf = (data) => Math.max(1, ...data.bars.map((bar) => bar.total));

/** Where the bars begin: beside the figure of the highest. */
const leftOf = (data) => Math.max(LEFT_MIN, data ? DIGIT * count(mostOf(data)).length + 10 : 0);

function draw(canvas, data, width, range) {
  const context = canvasOf(canvas, width, HEIGHT);
  const left = leftOf(data);
  const inner = width - left - 4;
  const base = HEIGHT - AXIS;
  const most = mostOf(data);
  const x = (at) => left + ((at - data.from) / (data.to - data.from || 1)) * inner;
  context.fillStyle = colour("--muted");
  context.textAlign = "right";
  context.fillText(count(most), left - 6, 12);
  context.fillText("0", left - 6, base);
  context.fillStyle = colour("--hairline");
  context.fillRect(left, base, inner, 1);
  context.fillRect(left, 6, inner, 1);
  timeAxis(context, data, x, left, width, HEIGHT - 4);
  const hatch = data.rough && hatching(context);
  const wide = Math.max(1, (data.step / (data.to - data.from || 1)) * inner - 1);
  for (const bar of data.bars) {
    let bottom = base;
    for (const { name } of GROUPS) {
      const high = ((bar.counts[name] ?? 0) / most) * (base - 7);
      if (!high) continue;
      context.fillStyle = colour(`--${name}-bar`);
      const tall = Math.max(1, high);
      const gap = bottom < base && tall > 2 * GAP ? GAP : 0;
      const place = [Math.max(left, x(bar.at)), bottom - tall, Math.min(wide, width - x(bar.at)), tall - gap];
      context.fillRect(...place);
      if (hatch) {
        context.fillStyle = hatch;
        context.fillRect(...place);
      }
      bottom -= tall;
    }
  }
  shade(context, range, x, 0, base);
}

/** Lines across bars that are estimates. @param {CanvasRenderingContext2D} context */
function hatching(context) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const lines = tile.getContext("2d");
  lines.strokeStyle = colour("--bg");
  lines.lineWidth = 1.5;
  for (const at of [-6, 0, 6]) {
    lines.moveTo(at, 6);
    lines.lineTo(at + 6, 0);
  }
  lines.stroke();
  return context.createPattern(tile, "repeat");
}
