// Readings as series: one pipeline, so that no more than the points of the screen come.

import { POINTS_MAX, SERIES_MAX } from "../../limits.js";
import { brief, date, millis, number, typeOf } from "../../lib/ejson.js";
import { csvLine } from "../../lib/give.js";
import { command, parts } from "../../lib/http.js";
import { duration } from "../../lib/number.js";
import { niceStep } from "../../lib/time.js";
import { timesOfEnds } from "../logs/find.js";
import { seriesOfColumns } from "./columns.js";

const SAMPLE = 200;
const TIME_MS = 30_000;

export async function aggregate(name, pipeline, signal, options = {}) {
  const [database, collection] = parts(name);
  const { cursor } = await command(database, { aggregate: collection, pipeline, cursor: { batchSize: 100_000 }, maxTimeMS: TIME_MS, ...options }, { signal });
  return cursor.firstBatch;
}

/** Of a text with more values than this in the sample each line may have its own. */
const NAMES_MAX = 50;

/** Which fields are dates, numbers and names, by the newest documents; `by` tells them apart at first. */
export async function sampleFields(name, signal) {
  const [database, collection] = parts(name);
  const { cursor } = await command(database, { find: collection, sort: { $natural: -1 }, limit: SAMPLE, singleBatch: true }, { signal, trim: 256 });
  const fields = cursor.firstBatch.flatMap(({ _id, ...document }) => Object.entries(document));
  const of = (...types) => [...new Set(fields.filter(([, value]) => types.includes(typeOf(value))).map(([field]) => field))];
  const texts = of("string");
  const by = texts.find((text) => new Set(fields.filter(([field]) => field === text).map(([, value]) => value)).size <= NAMES_MAX) ?? "";
  return { times: of("date"), numbers: of("int", "long", "double", "decimal"), texts, by };
}

/** The oldest and the newest reading. Without an index on the time all documents are read for it, twice. */
async function timeRange(name, time, signal) {
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

/** What was found to have come in another order, or while it was read: nothing is guessed of it again. */
const unordered = new Set();

/**
 * The series of all readings. Documents come mostly in the order of time, so that the first and the last tell the range, and all are
 * read once: if these are as many as there are, none lies outside.
 */
export async function wholeSeries(name, spec, signal) {
  const of = (range) => series(name, { ...spec, ...range, isWhole: true }, signal);
  const key = `${name} ${spec.time}`;
  const guessed = unordered.has(key) ? null : await guessedRange(name, spec.time, signal);
  const found = guessed && (await of(guessed));
  if (found && found.all === guessed.documents) return found;
  const range = await timeRange(name, spec.time, signal);
  if (range.from === guessed?.from && range.to === guessed.to) return found;
  if (guessed) unordered.add(key);
  return of(range);
}

/** The range of the first and the last document, and how many there are; null where they have no dates. */
async function guessedRange(name, time, signal) {
  const [database, collection] = parts(name);
  const [ends, { n }] = await Promise.all([timesOfEnds(name, time, signal), command(database, { count: collection }, { signal })]);
  if (!ends) return null;
  const [from, to] = ends.sort((a, b) => a - b);
  return { from, to: Math.max(to, from + 1), documents: number(n) };
}

/** A value of each step, by the values of a field; those with most readings first. */
export async function series(name, { time, value, by, from, to, isWhole, stat = "mean" }, signal) {
  // No more points than the screen could show.
  const step = niceStep(to - from, Math.min(POINTS_MAX, innerWidth));
  const asked = { time, value, by, from, to, stat: Object.hasOwn(STATS, stat) ? stat : "mean" };
  const found = (await seriesOfColumns(name, asked, step, signal)) ?? (await seriesOfDocuments(name, { ...asked, isWhole }, step, signal));
  const { after = (points) => points } = STATS[asked.stat];
  // What is no number, or without end, has no place in a picture.
  const shown = found.series.map((one) => ({ ...one, points: after(one.points).filter((point) => point.every(Number.isFinite)) })).filter(({ points }) => points.length);
  return { others: 0, ...found, otherReadings: found.all - found.read, series: shown, step, stepText: duration(step), from, to };
}

async function seriesOfDocuments(name, { time, value, by, from, to, isWhole, stat }, step, signal) {
  const pipeline = [
    { $match: { [time]: { $gte: date(from), $lte: date(to) }, [value]: { $type: "number" } } },
    { $group: { _id: { k: by ? `$${by}` : "all", t: { $dateTrunc: { date: `$${time}`, unit: "millisecond", binSize: step } } }, n: { $sum: 1 }, ...STATS[stat].take(`$${value}`, `$${time}`) } },
    { $group: { _id: "$_id.k", n: { $sum: "$n" }, points: { $push: { t: "$_id.t", min: "$min", mid: "$mid", max: "$max" } } } },
    { $sort: { n: -1, _id: 1 } },
    // Of the others only how many there are, however many that is.
    { $group: { _id: null, top: { $firstN: { input: "$$ROOT", n: SERIES_MAX } }, series: { $sum: 1 }, n: { $sum: "$n" } } },
  ];
  const isLate = (error) => error.body?.codeName === "MaxTimeMSExpired" || error.name === "AbortError";
  // Who reads everything is twice as fast in the order of the documents as by an index on the time; a view takes no such hint.
  const inOrder = isWhole && aggregate(name, pipeline, signal, { hint: { $natural: 1 } }).catch((error) => (isLate(error) ? Promise.reject(error) : null));
  const [found = { top: [], series: 0, n: 0 }] = (await inOrder) || (await aggregate(name, pipeline, signal));
  const pointOf = ({ t, min, mid, max }) => {
    const middle = number(Array.isArray(mid) ? mid[0] : mid);
    return [millis(t) + step / 2, min === undefined ? middle : number(min), middle, max === undefined ? middle : number(max)];
  };
  const top = found.top.map(({ _id, n, points }) => ({ key: brief(_id ?? value), n: number(n), points: points.map(pointOf).sort((a, b) => a[0] - b[0]) }));
  return { series: top, others: number(found.series) - top.length, read: top.reduce((sum, { n }) => sum + n, 0), all: number(found.n), source: "documents" };
}

/** The series as CSV: a line a step and series. */
export const csvOf = ({ series: all }) => csvLine(["time", "series", "min", "value", "max"]) + all.flatMap(({ key, points }) => points.map(([t, ...values]) => csvLine([new Date(t).toISOString(), key, ...values]))).join("");
