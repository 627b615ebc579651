// Readings as series: one pipeline, so that no more than the points of the screen come.

import { POINTS_MAX, SERIES_MAX } from "../../limits.js";
import { date, millis, number, plain, typeOf } from "../../lib/ejson.js";
import { command, parts } from "../../lib/http.js";
import { duration } from "../../lib/number.js";
import { niceStep } from "../../lib/time.js";
import { seriesOfColumns } from "./columns.js";

const SAMPLE = 200;
const TIME_MS = 30_000;

async function aggregate(name, pipeline, signal, options = {}) {
  const [database, collection] = parts(name);
  const { cursor } = await command(database, { aggregate: collection, pipeline, cursor: { batchSize: 100_000 }, maxTimeMS: TIME_MS, ...options }, { signal });
  return cursor.firstBatch;
}

/** Which fields are dates, numbers and names, by the newest documents. */
export async function sampleFields(name, signal) {
  const [database, collection] = parts(name);
  const { cursor } = await command(database, { find: collection, sort: { $natural: -1 }, limit: SAMPLE, singleBatch: true }, { signal, trim: 256 });
  const of = (types) => [...new Set(cursor.firstBatch.flatMap((document) => Object.entries(document).filter(([field, value]) => field !== "_id" && types.includes(typeOf(value))).map(([field]) => field)))];
  return { times: of(["date"]), numbers: of(["int", "long", "double", "decimal"]), texts: of(["string"]) };
}

/** The oldest and the newest reading. */
export async function timeRange(name, time, signal) {
  const one = async (order) => (await aggregate(name, [{ $match: { [time]: { $type: "date" } } }, { $sort: { [time]: order } }, { $limit: 1 }, { $project: { [time]: 1 } }], signal))[0];
  const [oldest, newest] = await Promise.all([one(1), one(-1)]);
  const now = Date.now();
  return oldest ? { from: millis(oldest[time]), to: Math.max(millis(newest[time]), millis(oldest[time]) + 1) } : { from: now - 3_600_000, to: now };
}

/** What is drawn of the readings of a step; `of` makes `[least, value, greatest]`. */
export const STATS = {
  mean: { title: "mean, min – max", take: (v) => ({ min: { $min: v }, mid: { $avg: v }, max: { $max: v } }) },
  min: { title: "least", take: (v) => ({ mid: { $min: v } }) },
  max: { title: "greatest", take: (v) => ({ mid: { $max: v } }) },
  sum: { title: "sum", take: (v) => ({ mid: { $sum: v } }) },
  count: { title: "number of readings", take: () => ({ mid: { $sum: 1 } }) },
  last: { title: "last", take: (v, time) => ({ mid: { $bottom: { sortBy: { [time.slice(1)]: 1 }, output: v } } }) },
  rate: { title: "rate of a counter, per second", take: (v) => ({ mid: { $max: v } }), after: rateOf },
  p50: { title: "median (±1 %)", take: (v) => percentile(v, 0.5) },
  p95: { title: "95th percentile (±1 %)", take: (v) => percentile(v, 0.95) },
  p99: { title: "99th percentile (±1 %)", take: (v) => percentile(v, 0.99) },
};

const percentile = (input, p) => ({ mid: { $percentile: { input, p: [p], method: "approximate" } } });

/** A counter's growth; where it falls it began anew. */
function rateOf(points) {
  return points.slice(1).map(([t, , value], at) => {
    const [before, , old] = points[at];
    const rate = (1000 * (value >= old ? value - old : value)) / (t - before);
    return [t, rate, rate, rate];
  });
}

/** A value of each step, by the values of a field; those with most readings first. */
export async function series(name, { time, value, by, from, to, isWhole, stat = "mean", points: most = POINTS_MAX }, signal) {
  const { take, after } = STATS[stat] ?? STATS.mean;
  const step = niceStep(to - from, most);
  const quick = await seriesOfColumns(name, { time, value, by, from, to, stat }, step, signal);
  if (quick) {
    const shown = quick.series.map((one) => ({ ...one, points: after ? after(one.points) : one.points }));
    return { step, stepText: duration(step), from, to, read: quick.series.reduce((sum, one) => sum + one.n, 0), series: shown, others: 0, otherReadings: quick.otherReadings, source: "columns of the index" };
  }
  const pipeline = [
    { $match: { [time]: { $gte: date(from), $lte: date(to) }, [value]: { $type: "number" } } },
    { $group: { _id: { k: by ? `$${by}` : "all", t: { $floor: { $divide: [{ $toLong: `$${time}` }, step] } } }, n: { $sum: 1 }, ...take(`$${value}`, `$${time}`) } },
    { $sort: { "_id.t": 1 } },
    { $group: { _id: "$_id.k", n: { $sum: "$n" }, points: { $push: { t: "$_id.t", min: "$min", mid: "$mid", max: "$max" } } } },
    { $sort: { n: -1, _id: 1 } },
    { $limit: 500 },
  ];
  // Who reads everything is twice as fast in the order of the documents as by an index on the time; a view takes no such hint.
  const found = await (isWhole ? aggregate(name, pipeline, signal, { hint: { $natural: 1 } }).catch((error) => (error.body?.codeName === "MaxTimeMSExpired" || error.name === "AbortError" ? Promise.reject(error) : aggregate(name, pipeline, signal))) : aggregate(name, pipeline, signal));
  const pointOf = ({ t, min, mid, max }) => {
    const middle = number(Array.isArray(mid) ? mid[0] : mid);
    return [(number(t) + 0.5) * step, min === undefined ? middle : number(min), middle, max === undefined ? middle : number(max)];
  };
  const all = found.map(({ _id, n, points }) => ({ key: String(plain(_id ?? value)), n: number(n), points: after ? after(points.map(pointOf)) : points.map(pointOf) }));
  return { step, stepText: duration(step), from, to, read: all.reduce((sum, one) => sum + one.n, 0), series: all.slice(0, SERIES_MAX), others: Math.max(0, all.length - SERIES_MAX), otherReadings: 0, source: "documents" };
}

/** The series as CSV: a line a step and series. */
export function csvOf({ series: all }) {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = all.flatMap(({ key, points }) => points.map(([t, min, mid, max]) => [new Date(t).toISOString(), quoted(key), min, mid, max].join(",")));
  return ["time,series,min,value,max", ...lines, ""].join("\r\n");
}
