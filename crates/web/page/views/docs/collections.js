// All collections that the user may read, by database.

import { html, useState } from "../../lib/html.js";
import { command, get, parts } from "../../lib/http.js";
import { COLLECTIONS_MAX } from "../../limits.js";
import { bytes, count } from "../../lib/number.js";
import { Confirm, FormDialog } from "../../parts/dialog.js";
import { Asked, Empty } from "../../parts/panel.js";
import { go, link } from "../../state/route.js";
import { useResource } from "../../state/resource.js";
import { whyNotWrite } from "../../state/session.js";

export function Collections() {
  const { data, error, loading, reload } = useResource((signal) => get("/api/collections", signal), []);
  const [find, setFind] = useState("");
  const [asked, setAsked] = useState(null);
  const all = data?.collections ?? [];
  const matching = all.filter(({ name }) => name.toLowerCase().includes(find.toLowerCase()));
  const shown = matching.slice(0, COLLECTIONS_MAX);
  const databases = Map.groupBy(shown, ({ database }) => database);
  return html`<section class="view">
    <div class="head">
      <h1>Documents</h1>
      <span class="muted">${data && `${count(all.length)} collections · ${count(sum(all, "documents"))} documents · ${bytes(sum(all, "storage_bytes"))} on disk`}</span>
      <span class="grow"></span>
      <input data-query type="search" placeholder="Find a collection" aria-label="Find a collection" value=${find} onInput=${(event) => setFind(event.target.value)} />
      <button onClick=${() => setAsked({ create: true })}>New collection</button>
      <a class="button primary" href="#/start">Import</a>
    </div>
    <${Asked} loading=${loading} error=${error} reload=${reload} />
    ${data && !all.length && html`<${Empty}><p>There is no collection yet.</p><a class="button primary" href="#/start">Drop a file</a><//>`}
    ${[...databases].map(([database, list]) => html`<div key=${database}>
      <h2 class="database">${database}</h2>
      <div class="scroll"><table class="rows collections">
        <thead><tr><th>Collection</th><th class="num">Documents</th><th class="num">Size</th><th class="num">On disk</th><th class="num">Indexes</th><th><span class="hidden">Deeds</span></th></tr></thead>
        <tbody>${list.map((one) => html`<${Row} key=${one.name} one=${one} drop=${() => setAsked({ drop: one })} />`)}</tbody>
      </table></div>
    </div>`)}
    ${matching.length > shown.length && html`<p class="muted">${count(matching.length - shown.length)} more: find them by name.</p>`}
    ${asked?.create && html`<${NewCollection} close=${() => setAsked(null)} />`}
    ${asked?.drop && html`<${Confirm} title="Drop a collection" text=${`${asked.drop.name} with ${count(asked.drop.documents)} documents will be gone.`} typed=${asked.drop.name} action="Drop" close=${() => setAsked(null)} run=${async () => { await command(asked.drop.database, { drop: asked.drop.collection }); reload(); }} />`}
  </section>`;
}

function Row({ one, drop }) {
  const why = whyNotWrite(one.database);
  const kinds = [one.view && "view", one.time_series && "time series", one.capped && "capped"].filter(Boolean);
  return html`<tr>
    <td><a href=${link(["docs", one.name])}>${one.collection}</a> ${kinds.map((kind) => html`<span class="badge">${kind}</span>`)}</td>
    <td class="num">${one.view ? "" : count(one.documents)}</td>
    <td class="num">${one.view ? "" : bytes(one.bytes)}</td>
    <td class="num">${one.view ? "" : bytes(one.storage_bytes)}</td>
    <td class="num">${one.indexes.length || ""}</td>
    <td class="num nowrap"><a href=${link(["logs", one.name])} title=${`${one.name} as logs`}>Logs</a> · <a href=${link(["graphs", one.name])} title=${`${one.name} as graphs`}>Graphs</a> <button class="quiet" disabled=${Boolean(why)} title=${why} aria-label=${`Drop ${one.name}`} onClick=${drop}>Drop</button></td>
  </tr>`;
}

function NewCollection({ close }) {
  const run = async ({ name }) => {
    const [database, collection] = parts(name);
    await command(database, { create: collection });
    go(["docs", `${database}.${collection}`]);
  };
  return html`<${FormDialog} title="New collection" action="Create" run=${run} close=${close}><label>Name, with its database <input name="name" required placeholder="default.readings" autofocus /></label><//>`;
}

const sum = (list, field) => list.reduce((total, one) => total + one[field], 0);
