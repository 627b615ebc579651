// A pipeline stage by stage: each with what it gives so far, asked of a sample before what has to read everything.

import { html, useEffect, useRef, useState } from "../../lib/html.js";
import { called, collectionOf, commandOf } from "../../lib/console.js";
import { print } from "../../lib/ejson.js";
import { command } from "../../lib/http.js";
import { parse } from "../../lib/shell.js";
import { Table } from "../../parts/results.js";

const STAGES_MAX = 50;
const PREVIEW = 20;
const SAMPLE = 10_000;
const PREVIEW_MS = 2000;
const WAIT_MS = 400;
const OPERATORS = ["$match", "$project", "$group", "$sort", "$limit", "$skip", "$unwind", "$addFields", "$set", "$unset", "$lookup", "$count", "$sortByCount", "$bucket", "$bucketAuto", "$facet", "$sample", "$replaceRoot", "$setWindowFields", "$densify", "$fill", "$graphLookup", "$unionWith", "$geoNear", "$redact", "$out", "$merge"];
const BLOCKING = ["$group", "$sort", "$bucket", "$bucketAuto", "$facet", "$sortByCount", "$count", "$setWindowFields", "$densify", "$fill"];
const WRITING = ["$out", "$merge"];
const BEGIN = { $match: "{ }", $project: "{ _id: 0 }", $group: '{ _id: "$field", n: { $sum: 1 } }', $sort: "{ n: -1 }", $limit: "20", $skip: "0", $unwind: '"$field"', $addFields: "{ }", $set: "{ }", $unset: '"field"', $count: '"n"', $sortByCount: '"$field"', $sample: "{ size: 100 }", $lookup: '{ from: "other", localField: "a", foreignField: "b", as: "found" }' };

/** The stages that a text has, and the collection; a find becomes stages too. */
export function stagesOfText(text, fallback) {
  const short = (value) => (print(value).length > 60 ? print(value, "  ") : print(value));
  try {
    const asked = commandOf(text);
    const collection = collectionOf(asked) ?? fallback ?? "";
    const stage = (operator, value) => ({ operator, text: short(value), on: true });
    if (asked.pipeline) return { collection, stages: asked.pipeline.map((one) => stage(...Object.entries(one)[0])) };
    const pairs = [["$match", asked.filter], ["$sort", asked.sort], ["$skip", asked.skip], ["$limit", asked.limit], ["$project", asked.projection]];
    return { collection, stages: pairs.filter(([operator, value]) => value !== undefined && (operator !== "$match" || Object.keys(value).length)).map(([operator, value]) => stage(operator, value)) };
  } catch {
    return { collection: fallback ?? "", stages: [] };
  }
}

/** The text of the stages that are on. */
export function pipelineText(collection, stages) {
  const on = stages.filter(({ on }) => on).map(({ operator, text }) => `  { ${operator}: ${text.trim().replaceAll("\n", "\n  ")} }`);
  return `${called(collection)}.aggregate([\n${on.join(",\n")}\n])`;
}

export function Stages({ database, collections, begin, changed }) {
  const [collection, setCollection] = useState(begin.collection);
  const [stages, setStages] = useState(begin.stages);
  const [onAll, setOnAll] = useState(false);
  const change = (next, from = collection) => {
    setStages(next);
    changed(from, next);
  };
  const edit = (at, changes) => change(stages.map((stage, place) => (place === at ? { ...stage, ...changes } : stage)));
  const move = (at, by) => {
    const next = [...stages];
    [next[at], next[at + by]] = [next[at + by], next[at]];
    change(next);
  };
  const previews = usePreviews(database, collection, stages, onAll);
  const names = [...new Set([collection, ...collections.map((one) => one.collection)])].filter(Boolean);
  return html`<div class="stages">
    <div class="row">
      <label>Collection <select value=${collection} onChange=${(event) => { setCollection(event.target.value); change(stages, event.target.value); }}>${names.map((name) => html`<option key=${name}>${name}</option>`)}</select></label>
      <label class="check"><input type="checkbox" checked=${onAll} onChange=${(event) => setOnAll(event.target.checked)} /> previews on all data</label>
    </div>
    ${stages.map((stage, at) => html`<div class=${stage.on ? "card stage" : "card stage off"} key=${at}>
      <div class="stage-text">
        <div class="row"><span class="muted">${at + 1}</span>
          <select aria-label=${`Operator of stage ${at + 1}`} value=${stage.operator} onChange=${(event) => edit(at, { operator: event.target.value })}>${[...new Set([stage.operator, ...OPERATORS])].map((name) => html`<option key=${name}>${name}</option>`)}</select>
          <label class="check"><input type="checkbox" checked=${stage.on} onChange=${(event) => edit(at, { on: event.target.checked })} /> on</label>
          <span class="grow"></span>
          <button type="button" class="quiet icon" disabled=${at === 0} aria-label=${`Move stage ${at + 1} up`} onClick=${() => move(at, -1)}>↑</button>
          <button type="button" class="quiet icon" disabled=${at === stages.length - 1} aria-label=${`Move stage ${at + 1} down`} onClick=${() => move(at, 1)}>↓</button>
          <button type="button" class="quiet icon" aria-label=${`Remove stage ${at + 1}`} onClick=${() => change(stages.filter((_, place) => place !== at))}>✕</button>
        </div>
        <textarea aria-label=${`Stage ${at + 1}`} spellcheck=${false} rows=${Math.min(14, Math.max(3, stage.text.split("\n").length))} value=${stage.text} onInput=${(event) => edit(at, { text: event.target.value })}></textarea>
      </div>
      <${Preview} of=${previews[at]} at=${at} on=${stage.on} />
    </div>`)}
    ${stages.length < STAGES_MAX && html`<div class="row"><select aria-label="Add a stage" value="" onChange=${(event) => { const operator = event.target.value; event.target.value = ""; change([...stages, { operator, text: BEGIN[operator] ?? "{ }", on: true }]); }}><option value="">Add a stage …</option>${OPERATORS.map((name) => html`<option key=${name}>${name}</option>`)}</select></div>`}
  </div>`;
}

function Preview({ of, at, on }) {
  if (!on) return html`<p class="muted">Off: left out.</p>`;
  if (!of) return html`<p class="muted">…</p>`;
  if (of.error) return html`<p class="error" role="alert">${of.error}</p>`;
  if (of.says && !of.documents) return html`<p class="muted">${of.says}</p>`;
  return html`<div class="preview"><p class="muted" role="status">after ${at + 1}: ${of.says}</p><${Table} documents=${of.documents} name=${`Documents after stage ${at + 1}`} /></div>`;
}

/** What each stage gives so far; what has changed is asked a moment after it was typed. */
function usePreviews(database, collection, stages, onAll) {
  const known = useRef(new Map());
  const [, show] = useState(0);
  const keys = stages.map((_, at) => JSON.stringify([database, collection, onAll, stages.slice(0, at + 1)]));
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      known.current = new Map([...known.current].filter(([key]) => keys.includes(key)));
      for (const [at, key] of keys.entries()) {
        if (known.current.has(key) || !stages[at].on) continue;
        const found = await preview(database, collection, stages.slice(0, at + 1), onAll, abort.signal);
        if (abort.signal.aborted) return;
        known.current.set(key, found);
        show((n) => n + 1);
      }
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [keys.at(-1)]);
  return keys.map((key) => known.current.get(key));
}

async function preview(database, collection, stages, onAll, signal) {
  if (WRITING.includes(stages.at(-1).operator)) return { says: "A stage that writes is not run for a preview." };
  try {
    const pipeline = stages.filter(({ on, operator }) => on && !WRITING.includes(operator)).map(({ operator, text }) => ({ [operator]: parse(text) }));
    const blocks = pipeline.findIndex((stage) => BLOCKING.includes(Object.keys(stage)[0]));
    const sampled = blocks >= 0 && !onAll;
    if (sampled) pipeline.splice(blocks, 0, { $limit: SAMPLE });
    const begun = performance.now();
    const { cursor } = await command(database, { aggregate: collection, pipeline: [...pipeline, { $limit: PREVIEW }], cursor: { batchSize: PREVIEW }, maxTimeMS: PREVIEW_MS }, { trim: 256, signal });
    const n = cursor.firstBatch.length;
    return { documents: cursor.firstBatch, says: `${n === PREVIEW ? "the first " : ""}${n} ${n === 1 ? "document" : "documents"}${sampled ? `, from at most ${SAMPLE.toLocaleString()}` : ""} · ${Math.round(performance.now() - begun)} ms` };
  } catch (error) {
    return { error: error.message };
  }
}
