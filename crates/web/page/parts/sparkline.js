// The last values of a figure as a line that says only how it went.

import { html } from "../lib/html.js";

const WIDTH = 120;
const HEIGHT = 28;

/** @param {{values: number[], label: string}} props */
export function Sparkline({ values, label }) {
  const most = Math.max(...values, 1e-9);
  const points = values.map((value, at) => `${((at / Math.max(1, values.length - 1)) * WIDTH).toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`);
  return html`<svg class="sparkline" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>${points.length > 1 && html`<polyline points=${points.join(" ")} />`}</svg>`;
}
