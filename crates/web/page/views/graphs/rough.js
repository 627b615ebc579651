// A graph from a sample, until all readings of a large collection have been read.

import { brief, millis, number } from "../../lib/ejson.js";
import { duration } from "../../lib/number.js";
import { niceStep } from "../../lib/time.js";
import { SERIES_MAX } from "../../limits.js";
import { aggregate } from "./series.js";

const SAMPLE = 5000;
/** Fewer than of all readings, so that a step has some of the sample. */
const POINTS = 80;

/** Means, and the least and the greatest of the sample; null where the collection has no more than that. */
export async function roughSeries({ coll, time, value, by }, signal) {
  const fields = { _id: 0, t: `$${time}`, v: `$${value}`, ...(by && { k: `$${by}` }) };
  const documents = await aggregate(coll, [{ $sample: { size: SAMPLE } }, { $project: fields }], signal);
  const readings = documents.map(({ t, v, k = value }) => ({ t: millis(t), v: number(v), key: by ? brief(k) : "all" })).filter(({ t, v }) => Number.isFinite(t + v));
  if (readings.length < SAMPLE / 2) return null;
  const times = readings.map(({ t }) => t).sort((a, b) => a - b);
  const [from, to] = [times[0], times.at(-1) + 1];
  const step = niceStep(to - from, POINTS);
  const named = [...Map.groupBy(readings, ({ key }) => key)].sort((a, b) => b[1].length - a[1].length);
  const series = named.slice(0, SERIES_MAX).map(([key, all]) => ({ key, n: all.length, points: pointsOf(all, step) }));
  return { series, from, to, step, stepText: duration(step), read: readings.length, others: named.length - series.length, isRough: true };
}

function pointsOf(readings, step) {
  const steps = [...Map.groupBy(readings, ({ t }) => Math.floor(t / step))].sort((a, b) => a[0] - b[0]);
  return steps.map(([at, all]) => {
    const values = all.map(({ v }) => v);
    return [(at + 0.5) * step, Math.min(...values), values.reduce((sum, v) => sum + v, 0) / values.length, Math.max(...values)];
  });
}
