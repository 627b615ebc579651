// What the server does and holds now.

import { html, useRef, useState } from "../../lib/html.js";
import { brief, number, plain, print } from "../../lib/ejson.js";
import { command, get } from "../../lib/http.js";
import { bytes, count, duration, share } from "../../lib/number.js";
import { Confirm } from "../../parts/dialog.js";
import { Asked, Failure } from "../../parts/panel.js";
import { Sparkline } from "../../parts/sparkline.js";
import { link } from "../../state/route.js";
import { useResource } from "../../state/resource.js";

const LOOK_MS = 2000;
/** Answers of the server that are remembered: five minutes. */
const PAST_MAX = 150;
const OPERATIONS_MAX = 200;
const LARGEST_MAX = 50;

export function Now() {
  const past = useRef([]).current;
  const status = useResource(async (signal) => {
    const begun = performance.now();
    const told = await get("/api/status", signal);
    past.push({ at: begun, ms: performance.now() - begun, documents: told.documents, commits: told.commits, bytes: told.disk.data_bytes });
    if (past.length > PAST_MAX) past.shift();
    return told;
  }, [], LOOK_MS);
  const rates = past.slice(1).map((one, at) => Math.round((1000 * Math.max(0, one.commits - past[at].commits)) / (one.at - past[at].at)));
  const running = useResource((signal) => command("admin", { currentOp: 1 }, { signal }), [], LOOK_MS);
  const collections = useResource((signal) => get("/api/collections", signal), []);
  const now = status.data;
  return html`
    ${now && html`<p class="muted">${now.host} · Larder ${now.version} · up ${duration(now.uptime_ms)}</p>`}
    <${Asked} ...${status} />
    ${now && html`
      ${now.findings > 0 && html`<p class="failure" role="alert">${count(now.findings)} damaged places were found: the log and serverStatus name them; restore a backup.</p>`}
      ${now.disk.is_low && html`<p class="failure" role="alert">The disk is nearly full: what would add to the data is refused.</p>`}
      <div class="cards figures">
        <${Figure} title="documents" value=${count(now.documents)} values=${past.map((one) => one.documents)} />
        <${Figure} title="data on disk" value=${bytes(now.disk.data_bytes)} more=${grown(past)} />
        <${Figure} title="commits a second" value=${rates.length ? count(rates.at(-1)) : "…"} more=${`${count(now.commits)} since the start, ${count(now.flushes)} flushes`} values=${rates} />
        <${Figure} title="answer to this page" value=${past.length ? duration(past.at(-1).ms) : "…"} values=${past.map((one) => one.ms)} />
        <${Figure} title="open cursors" value=${count(now.open_cursors)} />
      </div>
      `}
    <${Operations} ...${running} />
    <${Jobs} />
    ${now && html`<div class="cards holders">
      <${Disk} disk=${now.disk} />
      <${Memory} memory=${now.memory} />
    </div>`}
    ${collections.data && html`<${Largest} collections=${collections.data.collections} />`}`;
}

function Figure({ title, value, more, values }) {
  return html`<div class="card tile"><span class="muted">${title}</span><span class="figure">${value}</span>${values && html`<${Sparkline} values=${values} label=${`${title}, the last minutes`} />`}<span class="muted">${more ?? ""}</span></div>`;
}

/** How the data has grown while one looks. */
function grown(past) {
  const by = past.length > 1 ? past.at(-1).bytes - past[0].bytes : 0;
  return by > 0 ? `+${bytes(by)} in ${duration(past.at(-1).at - past[0].at)}` : "";
}

function Meter({ label, value, whole, parts }) {
  return html`<div>
    <div class="row"><span>${label}</span><span class="grow"></span><span class="muted">${bytes(value)} of ${bytes(whole)} · ${share(value, whole)}</span></div>
    <meter min="0" max=${whole || 1} value=${value} high=${0.9 * whole} aria-label=${label}></meter>
    ${parts}
  </div>`;
}

function Disk({ disk }) {
  const others = Math.max(0, disk.volume_used_bytes - disk.data_bytes - disk.temporary_bytes);
  return html`<div class="card"><h2>Disk</h2>
    <${Meter} label="The file system" value=${disk.volume_used_bytes} whole=${disk.volume_bytes} />
    <dl class="pairs"><div><dt>Larder's data</dt><dd>${bytes(disk.data_bytes)}</dd></div><div><dt>temporary files</dt><dd>${bytes(disk.temporary_bytes)}</dd></div><div><dt>others</dt><dd>${bytes(others)}</dd></div><div><dt>kept free</dt><dd>${bytes(disk.reserve_bytes)}</dd></div></dl>
  </div>`;
}

function Memory({ memory }) {
  const [showsAll, setShowsAll] = useState(false);
  const holders = Object.entries(memory.requests);
  const shown = holders.filter(([, held]) => showsAll || held.held_bytes || held.refused || held.waiting);
  return html`<div class="card"><h2>Memory</h2>
    <dl class="pairs"><div><dt>engine: caches and write buffers</dt><dd>${bytes(memory.engine_bytes)}</dd></div><div><dt>records read lately</dt><dd>${bytes(memory.record_cache_bytes)}</dd></div><div><dt>files read lately</dt><dd>${bytes(memory.file_cache_bytes)}</dd></div></dl>
    <h3>For requests</h3>
    ${!shown.length && html`<p class="muted">None is held now.</p>`}
    ${shown.map(([name, held]) => html`<${Meter} key=${name} label=${name.replaceAll("_", " ")} value=${held.held_bytes} whole=${held.limit_bytes} parts=${held.refused || held.waiting ? html`<span class="muted">${count(held.waiting)} wait, ${count(held.refused)} refused</span>` : null} />`)}
    ${(showsAll || shown.length < holders.length) && html`<p><button class="quiet" aria-expanded=${showsAll} onClick=${() => setShowsAll(!showsAll)}>${showsAll ? "Only what is held" : `All ${holders.length} holders, and their limits`}</button></p>`}
  </div>`;
}

/** What runs now, but for this page's own looking. */
function Operations({ data, error, reload }) {
  const [ended, setEnded] = useState(null);
  const all = (data?.inprog ?? []).filter((one) => one.command && !("currentOp" in one.command) && number(one.opid));
  const shown = all.slice(0, OPERATIONS_MAX);
  return html`<div><h2>Operations <span class="muted">${data ? count(all.length) : ""}</span></h2>
    ${error && html`<${Failure} error=${error} retry=${reload} />`}
    ${data && !all.length && html`<p class="muted">Nothing runs now.</p>`}
    ${shown.length > 0 && html`<div class="scroll"><table class="rows">
      <thead><tr><th>Id</th><th class="num">Running</th><th>Collection</th><th>Command</th><th>Client</th><th>User</th><th><span class="hidden">Deeds</span></th></tr></thead>
      <tbody>${shown.map((one) => html`<tr key=${plain(one.opid)}>
        <td>${plain(one.opid)}</td><td class="num nowrap">${duration((number(one.microsecs_running) || 0) / 1000)}</td><td>${one.ns}</td>
        <td class="mono clip" title=${print(one.command)}>${brief(one.command, 100)}</td><td>${one.client}</td><td>${one.effectiveUsers?.[0]?.user ?? ""}</td>
        <td><button class="danger" onClick=${() => setEnded(one)} aria-label=${`End operation ${plain(one.opid)}`}>End</button></td>
      </tr>`)}</tbody>
    </table></div>`}
    ${all.length > shown.length && html`<p class="muted">${count(all.length - shown.length)} more are not shown.</p>`}
    ${ended && html`<${Confirm} title="End an operation" text=${`${brief(ended.command, 200)} has run for ${duration((number(ended.microsecs_running) || 0) / 1000)}. Its client gets an error.`} action="End it" close=${() => setEnded(null)} run=${async () => { await command("admin", { killOp: 1, op: ended.opid }); reload(); }} />`}
  </div>`;
}

/** Builds of indexes and views, compactions and replications, with how far they are. */
function Jobs() {
  const { data, error } = useResource((signal) => get("/api/couch/_active_tasks", signal), [], LOOK_MS);
  if (error) return html`<p class="muted">Jobs: ${error.message}</p>`;
  if (!data?.length) return null;
  return html`<div><h2>Jobs <span class="muted">${count(data.length)}</span></h2><div class="scroll"><table class="rows">
    <thead><tr><th>What</th><th>Database</th><th>Progress</th><th class="num">Done</th></tr></thead>
    <tbody>${data.map((task, at) => html`<tr key=${at}><td>${task.type.replaceAll("_", " ")}</td><td>${task.database ?? task.target ?? ""} ${task.design_document ?? ""}</td><td><progress max="100" value=${task.progress ?? undefined} aria-label=${`Progress of ${task.type}`}></progress></td><td class="num">${count(task.changes_done ?? task.docs_written ?? 0)}</td></tr>`)}</tbody>
  </table></div></div>`;
}

function Largest({ collections }) {
  const largest = [...collections].sort((a, b) => size(b) - size(a)).slice(0, LARGEST_MAX);
  const whole = largest.length ? size(largest[0]) : 0;
  return html`<div><h2>Storage by collection</h2>
    <div class="scroll"><table class="rows">
      <thead><tr><th>Collection</th><th class="num">Documents</th><th class="num">Data</th><th class="num">On disk</th><th class="num">Indexes</th><th class="share">Share</th></tr></thead>
      <tbody>${largest.map((one) => html`<tr key=${one.name}><td><a href=${link(["docs", one.name])}>${one.name}</a></td><td class="num">${count(one.documents)}</td><td class="num">${bytes(one.bytes)}</td><td class="num">${bytes(one.storage_bytes)}</td><td class="num">${bytes(indexBytes(one))}</td><td><meter max=${whole || 1} value=${size(one)} aria-label=${`Share of ${one.name}`}></meter></td></tr>`)}</tbody>
    </table></div>
    ${collections.length > largest.length && html`<p class="muted">The ${LARGEST_MAX} largest of ${count(collections.length)}.</p>`}
  </div>`;
}

const indexBytes = (one) => one.indexes.reduce((sum, index) => sum + index.bytes, 0);
const size = (one) => one.storage_bytes + indexBytes(one);
