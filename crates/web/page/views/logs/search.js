// What Logs asks: lines, bars and values, by Elasticsearch's requests.

import { BARS_MAX } from "../../limits.js";
import { scalar, typeOf } from "../../lib/ejson.js";
import { command, elastic, indexPath, parts } from "../../lib/http.js";
import { GROUPS, queryOf } from "../../lib/level.js";
import { niceStep } from "../../lib/time.js";
import { linesOf, timesOfEnds } from "./find.js";

const SAMPLE = 100;
const TIMES = ["time", "@timestamp", "timestamp", "at", "ts", "date"];
const LEVELS = ["level", "severity", "log.level", "loglevel", "priority"];
const MESSAGES = ["message", "msg", "line", "text", "log", "event"];

const NUMBERS = { int: "long", long: "long", double: "double", decimal: "double" };

/** The fields of the newest documents, as they would be mapped: at once, however many there are. */
export async function quickShape(name, signal) {
  const [database, collection] = parts(name);
  const { cursor } = await command(database, { find: collection, sort: { $natural: -1 }, limit: SAMPLE, singleBatch: true }, { signal, trim: 64 });
  const known = new Map();
  for (const document of cursor.firstBatch) {
    for (const [field, value] of Object.entries(document)) {
      const type = typeOf(value);
      if (field === "_id" || known.has(field)) continue;
      if (type === "string" || type === "cut") known.set(field, { name: field, type: "text", exact: `${field}.keyword` });
      else if (type === "date" || type === "bool" || NUMBERS[type]) known.set(field, { name: field, type: NUMBERS[type] ?? (type === "bool" ? "boolean" : type), exact: field });
    }
  }
  return purposes(name, [...known.values()], signal);
}

/** The fields of a collection, by its mapping. */
export async function mappedFields(name, signal) {
  const answer = await elastic(indexPath(name, "/_mapping"), undefined, signal);
  return flat(Object.values(answer)[0]?.mappings?.properties ?? {});
}

/** The same, and what they are for. */
export const shape = async (name, signal) => purposes(name, await mappedFields(name, signal), signal);

async function purposes(name, fields, signal) {
  const dates = fields.filter((field) => field.type === "date");
  const named = (wanted, from) => wanted.map((one) => from.find((field) => field.name === one)).find(Boolean);
  const time = (named(TIMES, dates) ?? dates[0])?.name;
  return { fields, time, isDated: Boolean(time && (await timesOfEnds(name, time, signal))), level: named(LEVELS, fields), message: named(MESSAGES, fields)?.name };
}

function flat(properties, prefix = "") {
  return Object.entries(properties).flatMap(([name, field]) => (field.properties ? flat(field.properties, `${prefix}${name}.`) : [{ name: prefix + name, type: field.type, exact: field.fields?.keyword ? `${prefix + name}.keyword` : field.type === "text" ? undefined : prefix + name }]));
}

/** The query of the address. @param {{q?: string, from?: number, to?: number, filters: {field: string, value: unknown, not?: boolean}[]}} asked */
export function queryFor(asked, { time, fields, level }) {
  const filter = [];
  if (asked.q?.trim()) filter.push({ query_string: { query: asked.q, default_operator: "AND" } });
  if (asked.from || asked.to) filter.push({ range: { [time]: { ...(asked.from && { gte: asked.from }), ...(asked.to && { lte: asked.to }), format: "epoch_millis" } } });
  const term = ({ field, value }) => {
    const exact = fields.find(({ name }) => name === field)?.exact;
    return exact ? { term: { [exact]: scalar(value) } } : { match_phrase: { [field]: scalar(value) } };
  };
  if (asked.group) filter.push(queryOf(level.exact ?? level.name, asked.group));
  return { bool: { filter: [...filter, ...asked.filters.filter(({ not }) => !not).map(term)], must_not: asked.filters.filter(({ not }) => not).map(term) } };
}

/** How often the time in which newer lines are looked for is made longer before it has no end. */
const WIDER_MAX = 7;
const WIDER_BY = 8;

/**
 * Lines after a row: older ones, or newer ones. They come newest first either way; those of the same time that are known already are
 * left out. The index gives the newest of a range at once, however many match, but reads all to find the oldest: so newer lines are
 * looked for in a short time after the row, and in a longer one where that has too few.
 */
export async function lines(name, query, { time }, { after, newer = false, size, known = [], trim }, signal) {
  const same = after ? known.filter((row) => row.time === after.time && !row.gap).map(({ id }) => id) : [];
  const within = (range) => ({ bool: { filter: [query, { range: { [time]: { ...range, format: "epoch_millis" } } }], must_not: same.length ? [{ ids: { values: same } }] : [] } });
  const sort = newer ? [{ [time]: "asc" }, { _doc: "desc" }] : [{ [time]: "desc" }, { _doc: "asc" }];
  const found = async (asked) => (await elastic(indexPath(name, "/_search"), { query: asked, size, sort, track_total_hits: false, _source: false }, signal)).hits.hits;
  let hits = await found(!after ? query : within(newer ? { gte: after.time, lte: after.time + spanOf(known, size) } : { lte: after.time }));
  for (let wider = 1; newer && after && hits.length < size && wider <= WIDER_MAX; wider++) {
    const until = wider === WIDER_MAX ? {} : { lte: after.time + spanOf(known, size) * WIDER_BY ** wider };
    hits = await found(within({ gte: after.time, ...until }));
  }
  if (!hits.length) return [];
  // The documents come by find, which cuts long values on the server.
  const documents = await linesOf(name, hits.map(({ _id }) => _id), { time }, trim, signal);
  const rows = hits.flatMap((hit, at) => (documents[at] ? [{ ...documents[at], id: hit._id, time: hit.sort[0] }] : []));
  return newer ? rows.reverse() : rows;
}

/** The time that so many lines take, by those that are known. */
function spanOf(known, size) {
  const times = known.filter(({ gap }) => !gap).map((row) => row.time);
  const span = times.length > 1 ? times[0] - times.at(-1) : 0;
  return Math.max(1000, Math.ceil((span / Math.max(1, times.length - 1)) * size));
}

/** The oldest and the newest time. */
export async function extent(name, query, { time }, signal) {
  const body = { query, size: 0, aggs: { oldest: { min: { field: time } }, newest: { max: { field: time } } } };
  const { aggregations } = await elastic(indexPath(name, "/_search"), body, signal);
  return { oldest: aggregations.oldest.value, newest: aggregations.newest.value };
}

/** Bars of a range by groups of levels, and how many lines there are. */
export async function histogram(name, query, { time, level }, { from, to }, signal) {
  const step = niceStep(Math.max(1, to - from), BARS_MAX);
  const field = level && (level.exact ?? level.name);
  const groups = field && { groups: { filters: { filters: Object.fromEntries(GROUPS.filter(({ words }) => words.length).map(({ name: group }) => [group, queryOf(field, group)])) } } };
  const body = { query, size: 0, track_total_hits: true, aggs: { bars: { date_histogram: { field: time, fixed_interval: `${step}ms`, min_doc_count: 1 }, ...(groups && { aggs: groups }) } } };
  const { hits, aggregations } = await elastic(indexPath(name, "/_search"), body, signal);
  const bars = aggregations.bars.buckets.map((bucket) => {
    const counts = Object.fromEntries(Object.entries(bucket.groups?.buckets ?? {}).map(([group, { doc_count }]) => [group, doc_count]));
    const known = Object.values(counts).reduce((sum, n) => sum + n, 0);
    return { at: bucket.key, total: bucket.doc_count, counts: { ...counts, other: bucket.doc_count - known } };
  });
  return { step, bars, from, to, total: hits.total.value };
}

/**
 * The commonest values of a field. How many lines have it is asked by a query of its own, which the index answers at once: as a filter
 * among the aggregations it would read every line.
 */
export async function values(name, query, field, signal) {
  const found = (body) => elastic(indexPath(name, "/_search"), { size: 0, track_total_hits: true, ...body }, signal);
  const [all, there] = await Promise.all([
    found({ query, aggs: { top: { terms: { field: field.exact, size: 5 } } } }),
    found({ query: { bool: { filter: [query, { exists: { field: field.name } }] } } }),
  ]);
  return { total: all.hits.total.value, there: there.hits.total.value, top: all.aggregations.top.buckets.map(({ key, key_as_string, doc_count }) => ({ value: key_as_string ?? key, count: doc_count })) };
}
