// CouchDB's queries: a selector, its documents, and why an index was chosen.

import { html, useEffect, useState } from "../../lib/html.js";
import { ask, curl, get } from "../../lib/http.js";
import { Asked, Copy } from "../../parts/panel.js";
import { Results } from "../../parts/results.js";
import { remember } from "../../state/history.js";
import { refine } from "../../state/route.js";
import { useResource, useRun } from "../../state/resource.js";
import { session } from "../../state/session.js";
import { Kept } from "./kept.js";

const BEGIN = '{\n  "selector": { },\n  "limit": 25,\n  "execution_stats": true\n}';

export function Mango({ params }) {
  const known = useResource((signal) => get("/api/couch/_all_dbs", signal), []);
  const names = (known.data ?? []).filter((name) => !name.startsWith("_"));
  const database = params.db ?? names[0] ?? "";
  const [text, setText] = useState(params.x ?? BEGIN);
  const [state, run] = useRun();
  useEffect(() => setText(params.x ?? BEGIN), [params.x]);
  const path = (what) => `/api/couch/${encodeURIComponent(database)}/${what}`;
  const go = (what) => run(async (signal) => {
    JSON.parse(text);
    refine({ db: database, x: text });
    remember("mango", { db: database, x: text });
    // As it was typed: no digit of a number is lost.
    return { [what]: await ask("POST", path(what), { body: text, signal }) };
  });
  const { _find: found, _explain: explained } = state.error ? {} : state;
  return html`
    <form class="console" onSubmit=${(event) => { event.preventDefault(); go("_find"); }}>
      <div class="row">
        <label>Database <select value=${database} onChange=${(event) => refine({ db: event.target.value, x: text })}>${[...new Set([database, ...names])].filter(Boolean).map((name) => html`<option key=${name}>${name}</option>`)}</select></label>
        <span class="grow"></span>
        <${Kept} kind="mango" current=${() => ({ db: database, x: text })} />
        <${Copy} label="Copy as curl" text=${() => curl("POST", path("_find"), text, session.value?.user?.name)} />
        <button type="button" disabled=${!database} onClick=${() => go("_explain")}>Explain</button>
        <button class="primary" data-run disabled=${!database}>Run</button>
      </div>
      <textarea data-query class="editor short" aria-label="Mango query" spellcheck=${false} rows="7" value=${text} onInput=${(event) => setText(event.target.value)}></textarea>
    </form>
    <${Asked} error=${known.error} reload=${known.reload} />
    <${Asked} loading=${state.loading} error=${state.error} reload=${() => go("_find")} />
    ${found && html`${found.warning && html`<p class="note">${found.warning}</p>`}
      <${Results} documents=${found.docs} says=${`${found.docs.length} documents${found.execution_stats ? ` · ${found.execution_stats.total_docs_examined} examined` : ""} · ${Math.round(state.ms)} ms`} />`}
    ${explained && html`<${Chosen} told=${explained} />`}`;
}

function Chosen({ told }) {
  const others = told.index_candidates ?? [];
  return html`<div class="card">
    <h2>${told.index.type === "special" ? "No index: all documents are read" : `Answered by ${told.index.name}`}</h2>
    <dl class="pairs"><div><dt>index</dt><dd class="mono">${told.index.ddoc ? `${told.index.ddoc} ` : ""}${told.index.name}</dd></div><div><dt>fields</dt><dd class="mono">${JSON.stringify(told.index.def?.fields ?? [])}</dd></div>${told.mrargs && html`<div><dt>from</dt><dd class="mono">${JSON.stringify(told.mrargs.start_key)}</dd></div><div><dt>to</dt><dd class="mono">${JSON.stringify(told.mrargs.end_key)}</dd></div>`}</dl>
    ${others.length > 0 && html`<h3>Not used</h3><dl class="not-used">${others.map(({ index, analysis }, at) => html`<div key=${at}><dt class="mono">${index.name}</dt><dd>${(analysis?.reasons ?? []).map(({ name }) => name.replaceAll("_", " ")).join(", ") || "another fits better"}</dd></div>`)}</dl>`}
    <pre class="whole" tabindex="0" role="region" aria-label="The whole answer">${JSON.stringify(told, null, 2)}</pre>
  </div>`;
}
