// What was slow: shapes of queries, as the profiler of each database recorded them, with the way to an index.

import { html, useState } from "../../lib/html.js";
import { brief, number, print } from "../../lib/ejson.js";
import { command, get } from "../../lib/http.js";
import { count, duration } from "../../lib/number.js";
import { Asked, Empty } from "../../parts/panel.js";
import { link, refine } from "../../state/route.js";
import { useResource } from "../../state/resource.js";

const SHAPES_MAX = 200;

export function Slow({ params }) {
  const known = useResource((signal) => get("/api/collections", signal), []);
  const databases = [...new Set((known.data?.collections ?? []).map((one) => one.database))].filter((name) => !["admin", "local", "config"].includes(name));
  const database = params.db ?? databases[0] ?? "default";
  const { data, error, loading, reload } = useResource((signal) => read(database, signal), [database]);
  const [wrong, setWrong] = useState(null);
  const record = async (event) => {
    event.preventDefault();
    const slowms = Number(new FormData(event.target).get("slowms"));
    try {
      await command(database, { profile: data.isOn ? 0 : 1, slowms });
      setWrong(null);
      reload();
    } catch (failed) {
      setWrong(failed.message);
    }
  };
  return html`
    <form class="row" onSubmit=${record}>
      <label class="row">Database <select value=${database} onChange=${(event) => refine({ db: event.target.value })}>${[...new Set([database, ...databases])].map((name) => html`<option key=${name}>${name}</option>`)}</select></label>
      ${data && html`<label class="row">slower than, in ms <input name="slowms" type="number" min="0" required defaultValue=${data.slowms} readonly=${data.isOn} /></label><button class=${data.isOn ? "" : "primary"}>${data.isOn ? "Stop recording" : "Record slow queries"}</button>`}
      <button type="button" onClick=${reload}>Look again</button>
      <span class="muted">${data && (data.isOn ? `recorded into ${database}.system.profile` : "not recorded now")}</span>
    </form>
    ${wrong && html`<p class="failure" role="alert">${wrong}</p>`}
    <${Asked} loading=${loading} error=${error} reload=${reload} />
    ${data && !data.shapes.length && html`<${Empty}><p>${data.isOn ? `Nothing has taken longer than ${data.slowms} ms yet.` : "Nothing was recorded. Recording costs one small write for each slow query."}</p><//>`}
    ${data?.shapes.length > 0 && html`<div class="scroll"><table class="rows">
      <thead><tr><th>Collection</th><th>Query</th><th class="num">Times</th><th class="num">In all</th><th class="num">95 %</th><th class="num">Read a result</th><th>Plan</th><th><span class="hidden">Deeds</span></th></tr></thead>
      <tbody>${data.shapes.map((shape, at) => html`<tr key=${at}><td>${shape.collection}</td><td class="mono clip" title=${print(shape.example)}>${brief(shape.example, 90)}</td><td class="num">${count(shape.n)}</td><td class="num nowrap">${duration(shape.total)}</td><td class="num nowrap">${duration(shape.p95)}</td><td class="num">${shape.perResult === null ? "" : count(shape.perResult)}</td><td class="mono clip">${shape.plan}</td>
        <td><a class="button" href=${link(["query", "mongo"], { db: database, x: print(shape.example, "  "), explain: 1 })}>Explain, and an index</a></td></tr>`)}</tbody>
    </table></div>`}`;
}

async function read(database, signal) {
  const told = await command(database, { profile: -1 }, { signal });
  const pipeline = [
    { $match: { ns: { $not: { $regularExpression: { pattern: "\\.system\\.", options: "" } } } } },
    { $group: { _id: { ns: "$ns", op: "$op", shape: "$queryHash" }, n: { $sum: 1 }, total: { $sum: "$millis" }, p95: { $percentile: { input: "$millis", p: [0.95], method: "approximate" } }, keys: { $sum: "$keysExamined" }, documents: { $sum: "$docsExamined" }, returned: { $sum: "$nreturned" }, example: { $last: "$command" }, plan: { $last: "$planSummary" } } },
    { $sort: { total: -1 } },
    { $limit: SHAPES_MAX },
  ];
  const { cursor } = await command(database, { aggregate: "system.profile", pipeline, cursor: { batchSize: SHAPES_MAX } }, { signal, trim: 4096 });
  const shapes = cursor.firstBatch.map(({ _id, n, total, p95, keys, documents, returned, example, plan }) => {
    const { $db, lsid, $clusterTime, maxTimeMS, ...asked } = example ?? {};
    const results = number(returned);
    return { collection: String(_id.ns).split(".").slice(1).join("."), n: number(n), total: number(total), p95: number(p95?.[0]) || 0, perResult: results ? Math.round(Math.max(number(keys) || 0, number(documents) || 0) / results) : null, example: asked, plan: plan ?? "" };
  });
  return { isOn: number(told.was) > 0, slowms: number(told.slowms), shapes };
}
