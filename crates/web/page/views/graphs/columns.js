// Series from the columns of a collection's full-text index, where there is one: no document is read.

import { brief } from "../../lib/ejson.js";
import { elastic, get, indexPath } from "../../lib/http.js";
import { SERIES_MAX } from "../../limits.js";
import { mappedFields } from "../logs/search.js";

/** Fewer documents are read as fast. */
const DOCUMENTS_MIN = 50_000;
/** How long the fields of a collection are waited for; the server learns them when it is first asked. */
const FIELDS_MS = 250;
/** An index that is far behind reads documents: it is given up then, and tried again later. */
const TIME = "2s";
/** Where there is no index yet it is made after the graph has been drawn from documents, which is done first then. */
const BUILD_AFTER_MS = 3000;
const AGAIN_MS = 30_000;

/** What this page knows of a collection: its fields once they have come, and when its columns may be asked again. */
const known = new Map();

/** Learns what columns a collection has; told as soon as one will want to know, so that a graph need not wait for it. */
export function learn(name) {
  if (!known.has(name)) {
    const one = { again: 0, fields: null };
    known.set(name, one);
    one.asked = fieldsOf(name).then((fields) => (one.fields = fields), () => known.delete(name));
  }
  return known.get(name);
}

/** The fields of a collection that has columns; null where documents are read as fast, or there is no index yet, which is made then. */
async function fieldsOf(name) {
  const { collections } = await get("/api/collections");
  const documents = collections.find((has) => has.name === name)?.documents ?? 0;
  if (documents >= DOCUMENTS_MIN) {
    // Before the fields, for which the server reads all documents when it is first asked.
    if (await hasIndex(name)) return mappedFields(name);
    setTimeout(() => makeIndex(name), BUILD_AFTER_MS);
  }
  setTimeout(() => known.delete(name), AGAIN_MS);
  return null;
}

/** Whether there is a full-text index already: without one a search would read all documents. */
async function hasIndex(name) {
  const { _all } = await elastic(indexPath(name, "/_stats/warmer"));
  return _all.primaries.warmer.total > 0;
}

/** The first search of a collection makes its index, without waiting for it. */
const makeIndex = (name) => elastic(indexPath(name, "/_search"), { size: 0, timeout: "1ms" }).catch(() => {});

const VALUE = { mean: "stats", min: "min", max: "max", sum: "sum", rate: "max" };
const NUMBERS = ["byte", "short", "integer", "long", "half_float", "float", "double"];

/** The series, as `[{key, n, points}]`, and how many readings there are with those of others; null where columns cannot say it, or not yet. */
export async function seriesOfColumns(name, { time, value, by, from, to, stat }, step, signal) {
  if (stat !== "count" && !VALUE[stat]) return null;
  const one = learn(name);
  if (!one.fields) await Promise.race([one.asked, new Promise((resolve) => setTimeout(resolve, FIELDS_MS))]);
  const typeOf = (field) => one.fields?.find((has) => has.name === field);
  const names = by && typeOf(by);
  if (typeOf(time)?.type !== "date" || !NUMBERS.includes(typeOf(value)?.type) || (by && !names?.exact) || performance.now() < one.again) return null;
  const metric = stat === "count" ? {} : { aggs: { v: { [VALUE[stat]]: { field: value } } } };
  const steps = { t: { date_histogram: { field: time, fixed_interval: `${step}ms`, min_doc_count: 1 }, ...metric } };
  const filter = [{ range: { [time]: { gte: from, lte: to, format: "epoch_millis" } } }, { exists: { field: value } }];
  const body = { size: 0, track_total_hits: true, timeout: TIME, query: { bool: { filter } }, aggs: by ? { by: { terms: { field: names.exact, size: SERIES_MAX }, aggs: steps } } : steps };
  const { timed_out: isLate, hits, aggregations } = await elastic(indexPath(name, "/_search"), body, signal);
  if (isLate) {
    one.again = performance.now() + AGAIN_MS;
    return null;
  }
  const point = ({ key, doc_count: n, v }) => {
    const middle = stat === "count" ? n : (v.avg ?? v.value);
    return [key + step / 2, v?.min ?? middle, middle, v?.max ?? middle];
  };
  const all = by ? aggregations.by.buckets : [{ key: "all", doc_count: hits.total.value, t: aggregations.t }];
  const series = all.map(({ key, key_as_string: text, doc_count: n, t }) => ({ key: text ?? brief(key), n, points: t.buckets.map(point) }));
  return { series, read: series.reduce((sum, { n }) => sum + n, 0), all: hits.total.value, source: "columns of the index" };
}
