// One graph: what is asked, its series, its fields to choose from. A board has many of them with one range.

import { html, useMemo } from "../../lib/html.js";
import { count } from "../../lib/number.js";
import { Chart } from "../../parts/chart.js";
import { Asked, Empty } from "../../parts/panel.js";
import { useMeanwhile, useResource } from "../../state/resource.js";
import { learn } from "./columns.js";
import { roughSeries } from "./rough.js";
import { STATS, csvOf, series, wholeSeries } from "./series.js";

const LIVE_MS = 2000;
/** How long all readings are waited for before a sample is drawn. */
const ROUGH_AFTER_MS = 200;

/** What a graph asks, whatever its place and size. */
export const keyOf = ({ coll, time, value, by, stat }) => JSON.stringify([coll, time, value, by, stat]);

/** @param {{spec: {coll: string, time: string, value: string, by?: string, stat?: string}, from?: number, to?: number, isLive?: boolean, choose: (from: number, to: number) => void, height?: number}} props */
export function Graph({ spec, from, to, isLive, choose, height }) {
  const isWhole = !(from && to);
  const key = JSON.stringify([keyOf(spec), from, to, isLive]);
  const exact = useResource(async (signal) => {
    const begun = performance.now();
    learn(spec.coll);
    // What is live ends now, and keeps its length.
    const range = isLive ? { from: Date.now() - (to - from), to: Date.now() } : { from, to };
    const found = await (isWhole ? wholeSeries(spec.coll, spec, signal) : series(spec.coll, { ...spec, ...range }, signal));
    return { ...found, ms: performance.now() - begun };
  }, [key], isLive ? LIVE_MS : 0);
  // Of a part, and of sums, a sample says little.
  const rough = useMeanwhile((signal) => (isWhole && !isLive && spec.stat === "mean" ? roughSeries(spec, signal) : null), key, !exact.loading, ROUGH_AFTER_MS);
  const data = rough ?? exact.data;
  const sentence = useMemo(() => data && `${spec.value}, ${(STATS[spec.stat] ?? STATS.mean).title}, of ${data.series.length} series: ${data.series.slice(0, 5).map(({ key }) => key).join(", ")}`, [data]);
  return html`<div class="graph">
    <${Asked} ...${exact} />
    ${data && html`<p class="muted" role="status">${data.isRough ? `a sample of ${count(data.read)} readings until all are read · a point every ${data.stepText}` : toldOf(data)}</p>`}
    ${data && !data.series.length && html`<${Empty}><p>No reading lies in this range.</p><//>`}
    ${data && data.series.length > 0 && html`<${Chart} data=${data} sentence=${sentence} choose=${choose} height=${height} name=${`${spec.coll}-${spec.value}`} csv=${data.isRough ? undefined : () => csvOf(data)} />`}
  </div>`;
}

/** What was drawn of what there is. */
const toldOf = (data) => `${count(data.read)} readings · a point every ${data.stepText} · ${Math.round(data.ms)} ms, from ${data.source}${data.otherReadings > 0 ? ` · ${count(data.otherReadings)} readings of smaller series are not drawn` : ""}${data.others > 0 ? ` · ${count(data.others)} more series are not drawn: the largest are` : ""}`;
