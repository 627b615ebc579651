// Lines by MongoDB's find, where nothing is asked that only Lucene's syntax can say: an index on the time gives a page at once,
// however many lines there are.

import { date, millis, number, plain, scalar, typeOf, valueAt } from "../../lib/ejson.js";
import { command, drained, parts } from "../../lib/http.js";
import { NAMED, spellings } from "../../lib/level.js";

const TIME_MS = 10_000;

/** The times of the documents that came first and last; null where one has no date: text that looks like one is ordered otherwise. */
export async function timesOfEnds(name, time, signal) {
  const [database, collection] = parts(name);
  const one = (order) => command(database, { find: collection, filter: {}, sort: { $natural: order }, limit: 1, singleBatch: true, projection: { [time]: 1 } }, { signal });
  const found = await Promise.all([one(1), one(-1)]).catch(() => []);
  const times = found.map(({ cursor }) => valueAt(cursor.firstBatch[0] ?? {}, time) ?? null);
  return times.length === 2 && times.every((value) => typeOf(value) === "date") ? times.map(millis) : null;
}

/** What is asked as a filter; null where it cannot be said so. */
export function filterFor(asked, shape) {
  if (asked.q?.trim() || !shape.isDated) return null;
  const conditions = [];
  const range = { ...(asked.from && { $gte: date(asked.from) }), ...(asked.to && { $lte: date(asked.to) }) };
  if (Object.keys(range).length) conditions.push({ [shape.time]: range });
  for (const { field, value, not } of asked.filters) {
    const known = shape.fields.find((one) => one.name === field);
    if (!known || known.type === "date" || typeof scalar(value) === "object") return null;
    conditions.push({ [field]: not ? { $ne: value } : { $eq: value } });
  }
  if (asked.group) {
    conditions.push({ [shape.level.name]: asked.group === "other" ? { $nin: spellings(...NAMED) } : { $in: spellings(asked.group) } });
  }
  return conditions.length ? { $and: conditions } : {};
}

/** Lines after a row; those of the same time that are known already are left out by their ids. */
export async function findLines(name, filter, { time }, { after, newer = false, size, known = [], trim }, signal) {
  const [database, collection] = parts(name);
  const conditions = filter.$and ?? [];
  const place = after ? [{ [time]: { [newer ? "$gte" : "$lte"]: date(after.time) } }] : [{ [time]: { $type: "date" } }];
  const same = after ? known.filter((row) => row.time === after.time && row.key !== undefined).map((row) => row.key) : [];
  const all = [...conditions, ...place, ...(same.length ? [{ _id: { $nin: same } }] : [])];
  const { cursor } = await command(database, { find: collection, filter: { $and: all }, sort: { [time]: newer ? 1 : -1 }, limit: size, batchSize: size, singleBatch: true, maxTimeMS: TIME_MS }, { signal, trim });
  const rows = cursor.firstBatch.map((document) => rowOf(document, time));
  return newer ? rows.reverse() : rows;
}

/** Whether a text is a whole number of 64 bits. */
const isLong = (text) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/** The documents of these ids as Elasticsearch's protocol has them, as lines in this order; long values are cut. */
export async function linesOf(name, ids, { time }, trim, signal) {
  const [database, collection] = parts(name);
  const keys = ids.flatMap((id) => [id, ...(/^[0-9a-f]{24}$/.test(id) ? [{ $oid: id }] : []), ...(isLong(id) ? [{ $numberLong: id }] : [])]);
  // More than one reply where they are long.
  const reply = await command(database, { find: collection, filter: { _id: { $in: keys } }, batchSize: ids.length, maxTimeMS: TIME_MS }, { signal, trim });
  const { documents } = await drained(database, reply, { signal, trim });
  const found = new Map(documents.map((document) => [idText(document._id), rowOf(document, time)]));
  return ids.map((id) => found.get(id));
}

/** An _id as Elasticsearch's protocol tells it. */
const idText = (id) => (typeof id === "string" ? id : String(id.$oid ?? id.$numberInt ?? id.$numberLong ?? JSON.stringify(id)));

/** A document as a line. */
export function rowOf(document, time) {
  const { _id, ...rest } = document;
  return { id: idText(_id), key: _id, source: simple(rest), time: millis(valueAt(document, time)) };
}

/** Values as Elasticsearch's answers have them: numbers, dates as text. */
function simple(value) {
  const type = typeOf(value);
  if (type === "array") return value.map(simple);
  if (type === "object") return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, simple(inner)]));
  if (type === "date") return Math.abs(millis(value)) <= 8.64e15 ? new Date(millis(value)).toISOString() : value;
  // One that a number of JavaScript would change stays as it is.
  if (type === "long" && !Number.isSafeInteger(number(value))) return value;
  if (type === "cut") return `${value.$cut.head} … +${Number(plain(value.$cut.bytes)).toLocaleString()} B`;
  return plain(value);
}

/** The oldest and the newest time. */
export async function findExtent(name, filter, shape, signal) {
  const [newest, oldest] = await Promise.all([findLines(name, filter, shape, { size: 1, trim: 64 }, signal), findLines(name, filter, shape, { size: 1, newer: true, trim: 64 }, signal)]);
  return { oldest: oldest[0]?.time ?? null, newest: newest[0]?.time ?? null };
}
