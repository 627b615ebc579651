// Elasticsearch's requests: method, path, body; hits as a table, all else as it came.

import { html, useEffect, useState } from "../../lib/html.js";
import { ask, curl } from "../../lib/http.js";
import { Asked, Copy } from "../../parts/panel.js";
import { Results } from "../../parts/results.js";
import { remember } from "../../state/history.js";
import { useRun } from "../../state/resource.js";
import { refine } from "../../state/route.js";
import { session } from "../../state/session.js";
import { Kept } from "./kept.js";

const BEGIN = '{\n  "query": { "match_all": {} },\n  "size": 20\n}';

export function Elastic({ params }) {
  const [method, setMethod] = useState(params.m ?? "POST");
  const [path, setPath] = useState(params.path ?? "/_search");
  const [text, setText] = useState(params.x ?? BEGIN);
  const [state, run] = useRun();
  useEffect(() => {
    setMethod(params.m ?? "POST");
    setPath(params.path ?? "/_search");
    setText(params.x ?? BEGIN);
  }, [params.m, params.path, params.x]);
  const current = () => ({ m: method, path, x: method === "GET" ? undefined : text });
  const whole = () => `/api/elastic/${path.replace(/^\//, "")}`;
  const type = () => (/_(bulk|msearch)\b/.test(path) ? "application/x-ndjson" : "application/json");
  const go = () => run(async (signal) => {
    refine(current());
    remember("elastic", current());
    const body = method === "GET" || method === "DELETE" || !text.trim() ? (["POST", "PUT"].includes(method) ? "" : undefined) : text;
    return { reply: await ask(method, whole(), { body, type: type(), signal }) };
  });
  const reply = state.error ? null : state.reply;
  const hits = reply?.hits?.hits;
  const says = () => `${hits.length} of ${reply.hits.total?.value ?? "?"} hits · took ${reply.took} ms, ${Math.round(state.ms)} ms in all`;
  return html`
    <form class="console" onSubmit=${(event) => { event.preventDefault(); go(); }}>
      <div class="row">
        <select aria-label="Method" value=${method} onChange=${(event) => setMethod(event.target.value)}>${["GET", "POST", "PUT", "DELETE"].map((name) => html`<option key=${name}>${name}</option>`)}</select>
        <input data-query class="mono path" aria-label="Path" value=${path} spellcheck=${false} onInput=${(event) => setPath(event.target.value)} />
        <span class="grow"></span>
        <${Kept} kind="elastic" current=${current} />
        <${Copy} label="Copy as curl" text=${() => curl(method, whole(), method === "GET" ? undefined : text, session.value?.user?.name)} />
        <button class="primary" data-run>Run</button>
      </div>
      <textarea class="editor short" aria-label="Body" spellcheck=${false} rows="8" disabled=${method === "GET"} value=${text} onInput=${(event) => setText(event.target.value)}></textarea>
    </form>
    <${Asked} loading=${state.loading} error=${state.error} reload=${go} />
    ${hits?.length > 0 && html`<${Results} documents=${hits.map((hit) => ({ _index: hit._index, _id: hit._id, ...(hit._score !== null && { _score: hit._score }), ...hit._source, ...hit.fields }))} says=${says()} />`}
    ${reply && (!hits?.length || reply.aggregations) && html`<pre class="card" tabindex="0" role="region" aria-label="The answer">${typeof reply === "string" ? reply : JSON.stringify(hits ? { ...reply, hits: { ...reply.hits, hits: undefined } } : reply, null, 2)}</pre>`}`;
}
