// Readings as series: one pipeline, so that no more than the points of the screen come.

import { POINTS_MAX, SERIES_MAX } from "../../limits.js";
import { date, millis, number, plain, typeOf } from "../../lib/ejson.js";
import { command, parts } from "../../lib/http.js";
import { duration } from "../../lib/number.js";
import { niceStep } from "../../lib/time.js";

const SAMPLE = 200;
const TIME_MS = 30_000;

async function aggregate(name, pipeline, signal) {
  const [database, collection] = parts(name);
  const { cursor } = await command(database, { aggregate: collection, pipeline, cursor: { batchSize: 100_000 }, maxTimeMS: TIME_MS }, { signal });
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

/** Least, mean and greatest of each step, by the values of a field; those with most readings first. */
export async function series(name, { time, value, by, from, to }, signal) {
  const step = niceStep(to - from, POINTS_MAX);
  const found = await aggregate(name, [
    { $match: { [time]: { $gte: date(from), $lte: date(to) }, [value]: { $type: "number" } } },
    { $group: { _id: { k: by ? `$${by}` : "all", t: { $floor: { $divide: [{ $toLong: `$${time}` }, step] } } }, n: { $sum: 1 }, min: { $min: `$${value}` }, mean: { $avg: `$${value}` }, max: { $max: `$${value}` } } },
    { $sort: { "_id.t": 1 } },
    { $group: { _id: "$_id.k", n: { $sum: "$n" }, points: { $push: { t: "$_id.t", min: "$min", mean: "$mean", max: "$max" } } } },
    { $sort: { n: -1, _id: 1 } },
    { $limit: 500 },
  ], signal);
  const all = found.map(({ _id, n, points }) => ({ key: String(plain(_id ?? value)), n: number(n), points: points.map(({ t, min, mean, max }) => [(number(t) + 0.5) * step, number(min), number(mean), number(max)]) }));
  return { step, stepText: duration(step), from, to, read: all.reduce((sum, one) => sum + one.n, 0), series: all.slice(0, SERIES_MAX), others: Math.max(0, all.length - SERIES_MAX) };
}
