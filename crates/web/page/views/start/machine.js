// The machine that the server runs on, watched by the server: a graph and live lines where nothing else is yet.

import { html, useState } from "../../lib/html.js";
import { command } from "../../lib/http.js";
import { count } from "../../lib/number.js";
import { Failure } from "../../parts/panel.js";
import { link } from "../../state/route.js";
import { useResource } from "../../state/resource.js";
import { whyNotWrite } from "../../state/session.js";

const WATCHED = { _id: "machine" };

const isWatched = async (signal) => (await command("larder", { find: "watched", filter: WATCHED, limit: 1 }, { signal })).cursor.firstBatch.length > 0;

/** Asks the server to watch its machine, or to leave off: a document says which. */
const watch = (on) => command("larder", on ? { update: "watched", updates: [{ q: WATCHED, u: { $set: {} }, upsert: true }] } : { delete: "watched", deletes: [{ q: WATCHED, limit: 1 }] });

/** How many documents a collection has. */
export const documentsOf = (collections, name) => collections.find((one) => one.name === name)?.documents ?? 0;

/** @param {{collections?: object[]}} props as they are now */
export function Machine({ collections }) {
  const watched = useResource(isWatched, []);
  const [wrong, setWrong] = useState(null);
  const on = watched.data;
  const change = () => watch(!on).then(() => setWrong(null), setWrong).then(watched.reload);
  const [figures, lines] = ["larder.figures", "larder.log"].map((name) => documentsOf(collections ?? [], name));
  const refused = whyNotWrite("larder");
  return html`<div class="card">
    <h2>Watch this machine</h2>
    <p class="muted">Processor, memory, disk and network every ten seconds, for 30 days; and Larder's own log, its last 16 MB.</p>
    ${wrong ? html`<${Failure} error=${wrong} retry=${change} />` : watched.error && html`<${Failure} error=${watched.error} retry=${watched.reload} />`}
    <p class="row"><button disabled=${on === undefined || Boolean(refused)} title=${refused} onClick=${change}>${on ? "Stop" : "Start"}</button>
      <span class=${on && figures ? "good" : "muted"} role="status">${!on ? "" : figures ? html`✓ ${count(figures)} figures: <a href=${link(["graphs", "larder.figures"], { v: "cpu_percent" })}>graph</a>, <a href=${link(["logs", "larder.log"])}>${count(lines)} lines</a>` : "waiting for the first figures …"}</span>
    </p>
  </div>`;
}
