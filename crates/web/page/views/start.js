// The first view: three ways to begin where nothing is, what is there where something is.

import { html, useRef, useState } from "../lib/html.js";
import { ask, command, get } from "../lib/http.js";
import { bytes, count } from "../lib/number.js";
import { Form } from "../parts/dialog.js";
import { Drop, Import } from "../parts/import.js";
import { Copy, Failure } from "../parts/panel.js";
import { link } from "../state/route.js";
import { useResource } from "../state/resource.js";
import { session } from "../state/session.js";
import { Machine, documentsOf } from "./start/machine.js";

const LOOK_MS = 2000;

export default function Start() {
  const { data, error, reload } = useResource((signal) => get("/api/collections", signal), []);
  // What moves is beside what one reads: the list of collections stays as it was.
  const now = useResource((signal) => get("/api/collections", signal), [], LOOK_MS).data?.collections;
  const [files, setFiles] = useState(null);
  const [asked, setAsked] = useState(0);
  const collections = (data?.collections ?? []).filter((one) => !one.collection.startsWith("system.") && !["admin", "config", "local"].includes(one.database));
  const take = (given) => {
    setFiles(given);
    setAsked((n) => n + 1);
  };
  const isNew = data && !collections.some((one) => one.documents);
  return html`<section class="view start">
    <div class="head"><h1>${files ? "Import" : isNew ? "Nothing here yet. Three ways to begin:" : session.value.host}</h1>
      ${!isNew && !files && data && html`<span class="muted">${count(collections.length)} collections · ${count(collections.reduce((n, one) => n + one.documents, 0))} documents</span>`}
    </div>
    ${!session.value.users && html`<${NoUsers} />`}
    ${error && html`<${Failure} error=${error} retry=${reload} />`}
    ${files && html`<${Import} key=${asked} files=${files} close=${() => { setFiles(null); reload(); }} />`}
    <div class="cards">
      <div class="card">
        <h2>Drop files</h2>
        <p class="muted">CSV, NDJSON, JSON, logs, plain or as .gz. What they are is found out, and shown before anything is written.</p>
        <${Drop} take=${take}><p>Drop them here</p><//>
      </div>
      <${Machine} collections=${now} />
      <${Device} collections=${now} />
    </div>
    ${!isNew && html`<h2>Collections</h2><div class="cards tiles">${[...collections].sort((a, b) => b.documents - a.documents).slice(0, 24).map((one) => html`<${Tile} key=${one.name} one=${one} />`)}</div>`}
  </section>`;
}

function Tile({ one }) {
  return html`<div class="card tile">
    <a class="name" href=${link(["docs", one.name])}>${one.name}</a>
    <span class="figure">${one.view ? "view" : count(one.documents)}</span>
    <span class="muted">${one.view ? "" : `documents · ${bytes(one.storage_bytes)}`}</span>
    <span class="row"><a href=${link(["logs", one.name])} aria-label=${`Logs of ${one.name}`}>Logs</a><a href=${link(["graphs", one.name])} aria-label=${`Graphs of ${one.name}`}>Graphs</a></span>
  </div>`;
}

/** A command with the real address, which turns green at the first record. */
function Device({ collections }) {
  const first = useRef(null);
  const line = `curl -X POST '${location.origin}/api/elastic/readings/_doc' -H 'Content-Type: application/json' -d '{"device":"pump-3","celsius":21.4,"time":"'$(date -u +%FT%TZ)'"}'`;
  const now = collections && documentsOf(collections, "default.readings");
  first.current ??= now;
  const records = now - first.current;
  return html`<div class="card">
    <h2>Send from a device</h2>
    <p class="muted">Any client of MongoDB, CouchDB or Elasticsearch can send. So can curl:</p>
    <pre class="command" tabindex="0" role="region" aria-label="The command">${line}</pre>
    <p class="row"><${Copy} text=${line} /><span class=${records > 0 ? "good" : "muted"} role="status">${records > 0 ? html`✓ ${count(records)} arrived: <a href=${link(["docs", "default.readings"])}>look</a>` : "waiting for a record in default.readings …"}</span></p>
  </div>`;
}

/** While no user exists everybody on this machine may do everything. */
function NoUsers() {
  const [isOpen, setOpen] = useState(false);
  const run = async ({ name, password }) => {
    await command("admin", { createUser: name, pwd: password, roles: ["root"] });
    await ask("POST", "/api/session", { body: { name, password } });
    location.reload();
  };
  return html`<div class="note row"><span>There are no users yet: everybody on this machine may do everything.</span>
    ${isOpen ? html`<${Form} class="row" action="Make the administrator" run=${run}><input name="name" aria-label="Name" placeholder="name" required autocomplete="username" autofocus /><input name="password" aria-label="Password" placeholder="password" type="password" required autocomplete="new-password" /><//>` : html`<button onClick=${() => setOpen(true)}>Make the first user</button>`}
  </div>`;
}
