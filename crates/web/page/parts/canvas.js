// Drawing at the screen's own resolution, in the theme's colours.

import { useLayoutEffect, useState } from "../lib/html.js";
import { niceStep, tick } from "../lib/time.js";

/** The size of what an element stands in: at once, so that the first frame has the picture, and then as it changes. */
export function useRoom(element) {
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const { parentElement } = element.current;
    const take = (...sizes) => {
      const [width, height] = sizes.map(Math.floor);
      setRoom((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(parentElement);
    const within = (size, ...paddings) => paddings.reduce((rest, padding) => rest - Number.parseFloat(padding), size);
    take(within(parentElement.clientWidth, paddingLeft, paddingRight), within(parentElement.clientHeight, paddingTop, paddingBottom));
    const watch = new ResizeObserver(([{ contentRect }]) => take(contentRect.width, contentRect.height));
    watch.observe(parentElement);
    return () => watch.disconnect();
  }, []);
  return room;
}

/** A cleared context in units of CSS. @param {HTMLCanvasElement} canvas */
export function canvasOf(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  return context;
}

export const colour = (token) => getComputedStyle(document.documentElement).getPropertyValue(token).trim();

/** Times below a picture. @param {(time: number) => number} x */
export function timeAxis(context, { from, to }, x, left, width, y) {
  const step = niceStep(to - from, Math.max(2, width / 110));
  context.fillStyle = colour("--muted");
  context.textAlign = "center";
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    if (x(at) > left + 16 && x(at) < width - 24) context.fillText(tick(at, step), x(at), y);
  }
}

/** A range that is being marked. @param {[number, number] | null} range */
export function shade(context, range, x, top, height) {
  if (!range) return;
  const [from, to] = [Math.min(...range), Math.max(...range)].map(x);
  context.fillStyle = colour("--accent");
  context.globalAlpha = 0.25;
  context.fillRect(from, top, Math.max(1, to - from), height);
  context.globalAlpha = 1;
}
