// Series over time: the band from least to greatest with the mean over it, so that no spike is averaged away.

import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { figure } from "../lib/number.js";
import { stamp } from "../lib/time.js";
import { settings } from "../state/settings.js";
import { useSignal } from "../state/signal.js";
import { give } from "../lib/give.js";
import { canvasOf, colour, shade, timeAxis, useRoom } from "./canvas.js";
import { useGestures } from "./gestures.js";

const AXIS = 24;
const LEFT = 64;
const TOP = 12;
const COLOURS = 6;
/** A lower one says nothing of how it is used. */
const HINT_HEIGHT = 300;
const DASHES = [[], [6, 4], [2, 3]];
/** A shape for each series, for whom some of the colours look alike; so far apart that lines stay lines. */
const MARKS = [..."●■▲◆▼★○□△◇▽☆"];
const MARK_PX = 130;
/** Lines across the picture, each with its figure. */
const LINES_MAX = 12;

/** @param {{data: object, choose: (from: number, to: number) => void, sentence: string, height?: number, name?: string}} props */
export function Chart({ data, choose, sentence, height = 360, name = "graph", csv }) {
  const canvas = useRef(null);
  const [cursor, setCursor] = useState(null);
  const [hidden, setHidden] = useState(new Set());
  const { width } = useRoom(canvas);
  const [asTable, setAsTable] = useState(false);
  const { theme, utc } = useSignal(settings);
  const shown = data.series.filter(({ key }) => !hidden.has(key));
  const inner = Math.max(1, width - LEFT - 8);
  const timeAt = (x, from, to) => from + (Math.max(0, Math.min(inner, x - LEFT)) / inner) * (to - from);
  const { range, view, setRange, takeRange, handlers } = useGestures(data, timeAt, choose, setCursor);
  const scale = scaleOf(shown, view ? { ...data, ...view } : data, width, height);
  useLayoutEffect(() => {
    if (width) draw(canvas.current, view ? { ...data, ...view } : data, shown, scale, width, height, range, cursor);
  }, [data, width, height, range, view, cursor, hidden, theme, utc]);
  const out = () => choose(Math.round(data.from - (data.to - data.from) / 2), Math.round(data.to + (data.to - data.from) / 2));
  const key = (event) => {
    const by = { ArrowLeft: -data.step, ArrowRight: data.step }[event.key];
    if (by) {
      event.preventDefault();
      const at = Math.max(data.from, Math.min(data.to, (cursor ?? data.from) + by * 4));
      setCursor(at);
      if (event.shiftKey) setRange([range?.[0] ?? at - by * 4, at]);
    }
    if (event.key === "Enter" && range) takeRange();
    if (event.key === "Escape") setRange(null);
    if (event.key === "Backspace" || event.key === "-") out();
  };
  const toggle = (name) => setHidden(new Set(hidden.has(name) ? [...hidden].filter((one) => one !== name) : [...hidden, name]));
  return html`<div class="chart card">
    <canvas ref=${canvas} style=${{ height: `${height}px` }} tabindex="0" role="img" aria-label=${`${sentence}. Arrows move the cursor, with Shift they mark a range, Enter zooms, Backspace zooms out.`} ...${handlers} onDblClick=${out} onKeyDown=${key}></canvas>
    <ul class="series">${data.series.map((one, at) => html`<li key=${one.key}><button class="quiet" aria-pressed=${!hidden.has(one.key)} onClick=${() => toggle(one.key)}><span class=${`series-mark s${(at % COLOURS) + 1}`} aria-hidden="true"><span class=${`line-mark d${Math.floor(at / COLOURS)}`}></span>${data.series.length > 1 && MARKS[at % MARKS.length]}</span>${one.key} <span class="muted">${valueAt(one, cursor, data.step)}</span></button></li>`)}</ul>
    <p class="chart-foot"><span class="muted">${cursor ? stamp(cursor).slice(0, 19) : height >= HINT_HEIGHT ? "Drag to zoom; Shift and drag, or two fingers, to move." : ""}</span><span class="grow"></span><button class="quiet" onClick=${() => canvas.current.toBlob((blob) => give(blob, `${name}.png`))}>PNG</button>${csv && html`<button class="quiet" onClick=${() => give(new Blob([csv()], { type: "text/csv" }), `${name}.csv`)}>CSV</button>`}<button class="quiet" aria-pressed=${asTable} onClick=${() => setAsTable(!asTable)}>As table</button></p>
    ${asTable && html`<div class="scroll"><table class="rows"><thead><tr><th>Series</th><th class="num">Readings</th><th class="num">Least</th><th class="num">Mean</th><th class="num">Greatest</th></tr></thead><tbody>${data.series.map((one) => html`<tr key=${one.key}><td>${one.key}</td><td class="num">${one.n.toLocaleString()}</td>${summary(one).map((value) => html`<td class="num">${figure(value)}</td>`)}</tr>`)}</tbody></table></div>`}
  </div>`;
}

const summary = ({ points }) => [Math.min(...points.map((point) => point[1])), points.reduce((sum, point) => sum + point[2], 0) / points.length, Math.max(...points.map((point) => point[3]))];

function valueAt({ points }, cursor, step) {
  const near = cursor && points.find((point) => Math.abs(point[0] - cursor) <= step);
  if (!near) return "";
  return near[1] === near[3] ? figure(near[2]) : `${figure(near[2])} (${figure(near[1])} – ${figure(near[3])})`;
}

function scaleOf(shown, data, width, height) {
  const all = shown.flatMap(({ points }) => points);
  let [least, most] = [Math.min(...all.map((point) => point[1])), Math.max(...all.map((point) => point[3]))];
  if (!all.length) [least, most] = [0, 1];
  if (least === most) [least, most] = [least - 1, most + 1];
  if (least > 0 && least < most / 3) least = 0;
  const inner = width - LEFT - 8;
  const high = height - AXIS - TOP;
  return {
    least, most,
    x: (t) => LEFT + ((t - data.from) / (data.to - data.from)) * inner,
    y: (v) => TOP + (1 - (v - least) / (most - least)) * high,
  };
}

function draw(canvas, data, shown, scale, width, height, range, cursor) {
  const context = canvasOf(canvas, width, height);
  context.fillStyle = colour("--surface");
  context.fillRect(0, 0, width, height);
  axes(context, data, scale, width, height);
  context.save();
  context.beginPath();
  context.rect(LEFT, 0, width - LEFT - 8, height - AXIS + 1);
  context.clip();
  for (const one of shown) {
    const at = data.series.indexOf(one);
    const ink = colour(`--series-${(at % COLOURS) + 1}`);
    for (const part of unbroken(one.points, data.step)) {
      context.fillStyle = ink;
      context.globalAlpha = 0.22;
      context.beginPath();
      part.forEach(([t, , , max]) => context.lineTo(scale.x(t), scale.y(max)));
      part.toReversed().forEach(([t, min]) => context.lineTo(scale.x(t), scale.y(min)));
      context.fill();
      // Its edges, so that a single reading far from the others is seen however many there are.
      context.globalAlpha = 0.6;
      context.strokeStyle = ink;
      context.lineWidth = 1;
      context.stroke();
      context.globalAlpha = 1;
      context.lineWidth = 1.5;
      context.setLineDash(DASHES[Math.floor(at / COLOURS)] ?? []);
      context.beginPath();
      part.forEach(([t, , mean]) => context.lineTo(scale.x(t), scale.y(mean)));
      context.stroke();
      context.setLineDash([]);
    }
    if (data.series.length > 1) mark(context, one.points, at, scale);
  }
  context.restore();
  context.fillStyle = colour("--accent");
  if (cursor) context.fillRect(scale.x(cursor), TOP, 1, height - AXIS - TOP);
  shade(context, range, scale.x, TOP, height - AXIS - TOP);
}

/** Each series has its places, so that no mark covers another's where lines meet. */
function mark(context, points, at, scale) {
  context.textAlign = "center";
  context.textBaseline = "middle";
  const places = points.map(([t, , mean]) => [scale.x(t), scale.y(mean)]).filter(([x]) => x >= LEFT);
  let next = LEFT + 8 + ((at * 50) % MARK_PX);
  // One that ends before its first place has its mark where it ends.
  next = Math.min(next, places.at(-1)?.[0]);
  for (const [x, y] of places) {
    if (x < next) continue;
    context.fillText(MARKS[at % MARKS.length], x, y);
    next = x + MARK_PX;
  }
}

function axes(context, data, scale, width, height) {
  const rough = (scale.most - scale.least) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].map((n) => n * power).find((one) => one >= rough);
  // Counted, because a number may be so large that nothing is added to it by a step.
  for (let n = 0, v = Math.ceil(scale.least / nice) * nice; n < LINES_MAX && v <= scale.most; n++, v += nice) {
    context.fillStyle = colour("--hairline");
    context.fillRect(LEFT, Math.round(scale.y(v)), width - LEFT - 8, 1);
    context.fillStyle = colour("--muted");
    context.textAlign = "right";
    context.fillText(figure(Number(v.toPrecision(10))), LEFT - 8, scale.y(v) + 4);
  }
  timeAxis(context, data, scale.x, LEFT, width, height - 6);
}

/** Points without the gaps between them: three steps without a reading are one. */
function unbroken(points, step) {
  const gaps = points.slice(1).map((point, at) => point[0] - points[at][0]).sort((a, b) => a - b);
  const usual = Math.max(step, gaps[Math.floor(gaps.length / 2)] ?? step);
  const runs = [[]];
  for (const point of points) {
    const last = runs.at(-1).at(-1);
    if (last && point[0] - last[0] > 3 * usual) runs.push([]);
    runs.at(-1).push(point);
  }
  return runs;
}
