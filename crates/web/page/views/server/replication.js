// Replications: how far each is, how much it lacks, what stopped it; and new ones.

import { html, useState } from "../../lib/html.js";
import { ask, get } from "../../lib/http.js";
import { count } from "../../lib/number.js";
import { stamp } from "../../lib/time.js";
import { Confirm, Form } from "../../parts/dialog.js";
import { Asked, Empty } from "../../parts/panel.js";
import { useResource } from "../../state/resource.js";

const LOOK_MS = 3000;
const PAGE = 100;
const ALL_MAX = 2000;

/** All of them, page by page: a list that ends at the first hundred would not say so. */
async function all(signal) {
  const docs = [];
  for (let skip = 0; skip < ALL_MAX; skip += PAGE) {
    const page = await get(`/api/couch/_scheduler/docs?limit=${PAGE}&skip=${skip}`, signal);
    docs.push(...page.docs);
    if (page.docs.length < PAGE) break;
  }
  const tasks = (await get("/api/couch/_active_tasks", signal)).filter(({ type }) => type === "replication");
  return { docs, tasks };
}

const without = (address) => String(address ?? "").replace(/\/\/[^@/]*@/, "//");

export function Replication() {
  const [gone, setGone] = useState(null);
  const { data, error, loading, reload } = useResource(all, [], LOOK_MS);
  const once = (data?.tasks ?? []).filter(({ doc_id }) => !doc_id);
  return html`
    <${Begin} done=${reload} />
    <${Asked} loading=${loading} error=${error} reload=${reload} />
    ${data && !data.docs.length && !once.length && html`<${Empty}><p>No replication. One is begun above, or by a document in the database _replicator.</p><//>`}
    ${data && (data.docs.length > 0 || once.length > 0) && html`<div class="scroll"><table class="rows">
      <thead><tr><th>From</th><th>To</th><th>State</th><th class="num">Read</th><th class="num">Written</th><th class="num">Failed</th><th class="num">Still to come</th><th>Since, or why not</th><th><span class="hidden">Deeds</span></th></tr></thead>
      <tbody>${[...data.docs, ...once.map((task) => ({ ...task, state: "running", info: task }))].map((one, at) => html`<tr key=${one.doc_id ?? at}>
        <td>${without(one.source)}</td><td>${without(one.target)}</td><td><span class=${["failed", "crashing", "error"].includes(one.state) ? "error" : ""}>${one.state}</span></td>
        <td class="num">${told(one.info?.docs_read)}</td><td class="num">${told(one.info?.docs_written)}</td><td class="num">${told(one.info?.doc_write_failures)}</td><td class="num">${told(one.info?.changes_pending)}</td>
        <td>${one.info?.error ?? (one.start_time ? stamp(Date.parse(one.start_time)).slice(0, 19) : "")}</td>
        <td>${one.doc_id && html`<button class="quiet" onClick=${() => setGone(one)} aria-label=${`End the replication ${one.doc_id}`}>End</button>`}</td>
      </tr>`)}</tbody>
    </table></div>`}
    ${gone && html`<${Confirm} title="End a replication" text=${`${without(gone.source)} is not brought to ${without(gone.target)} any more; what was brought stays.`} action="End it" close=${() => setGone(null)} run=${async () => { await end(gone.doc_id); reload(); }} />`}`;
}

const told = (n) => (n === undefined || n === null ? "" : count(n));

async function end(id) {
  const path = `/api/couch/_replicator/${encodeURIComponent(id)}`;
  const { _rev } = await get(path);
  await ask("DELETE", `${path}?rev=${encodeURIComponent(_rev)}`);
}

function Begin({ done }) {
  const run = async ({ source, target, continuous, create }, form) => {
    if (!(await get("/api/couch/_all_dbs")).includes("_replicator")) await ask("PUT", "/api/couch/_replicator", { body: {} });
    await ask("POST", "/api/couch/_replicator", { body: { source, target, continuous: Boolean(continuous), create_target: Boolean(create) } });
    form.reset();
    done();
  };
  return html`<${Form} class="query replication" action="Begin a replication" run=${run}>
    <label>From <input name="source" class="mono" required placeholder="readings, or https:…/readings" /></label>
    <label>To <input name="target" class="mono" required placeholder="copy" /></label>
    <label class="check"><input type="checkbox" name="continuous" /> goes on</label>
    <label class="check"><input type="checkbox" name="create" /> make the target</label>
  <//>`;
}
