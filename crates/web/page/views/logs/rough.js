// Bars from a sample, until the index has counted all: it may have to be built first.

import { BARS_MAX } from "../../limits.js";
import { millis, plain, typeOf } from "../../lib/ejson.js";
import { command, parts } from "../../lib/http.js";
import { groupOf } from "../../lib/level.js";
import { niceStep } from "../../lib/time.js";
import { filterFor } from "./find.js";

const SAMPLE = 5000;

/** The width of a range that holds the true number in 95 of 100 cases, on each side, as a part of the standard deviation. */
const SURE = 1.96;

/**
 * Bars of what is asked, by the lines of a sample; null where a filter cannot say it.
 * `rough` has the size of the sample, and how far the number of lines may be from the true one.
 */
export async function roughHistogram(name, asked, shape, signal) {
  const filter = filterFor(asked, shape);
  if (!filter) return null;
  const [database, collection] = parts(name);
  const all = Number(plain((await command(database, { count: collection }, { signal })).n));
  const matches = filter.$and ? [{ $match: filter }] : [];
  const fields = { _id: 0, time: `$${shape.time}`, ...(shape.level && { level: `$${shape.level.name}` }) };
  const pipeline = [{ $sample: { size: SAMPLE } }, ...matches, { $project: fields }];
  const { cursor } = await command(database, { aggregate: collection, pipeline, cursor: { batchSize: SAMPLE } }, { signal, trim: 64 });
  const lines = cursor.firstBatch.filter(({ time }) => time && typeOf(time) === "date").map(({ time, level }) => ({ time: millis(time), group: groupOf(level && plain(level)) }));
  if (!lines.length) return null;
  const sampled = Math.min(SAMPLE, all);
  const from = asked.from ?? lines.reduce((least, { time }) => Math.min(least, time), Infinity);
  const to = Math.max(asked.to ?? lines.reduce((most, { time }) => Math.max(most, time), -Infinity), from + 1);
  const share = lines.length / sampled;
  const error = matches.length ? SURE * all * Math.sqrt((share * (1 - share)) / sampled) : 0;
  return { ...barsOf(lines, from, to, all / sampled), total: Math.round(all * share), rough: { sampled, error } };
}

/** Each line stands for so many. */
function barsOf(lines, from, to, weight) {
  const step = niceStep(Math.max(1, to - from), BARS_MAX);
  const bars = new Map();
  for (const { time, group } of lines) {
    const at = Math.floor(time / step) * step;
    const bar = bars.get(at) ?? { at, total: 0, counts: {} };
    bar.total += weight;
    bar.counts[group] = (bar.counts[group] ?? 0) + weight;
    bars.set(at, bar);
  }
  return { step, from, to, bars: [...bars.values()].sort((a, b) => a.at - b.at) };
}
