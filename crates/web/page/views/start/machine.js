// The machine that the server runs on, watched by the server: a graph and live lines where nothing else is yet.

import { html, useEffect, useState } from "../../lib/html.js";
import { command, get } from "../../lib/http.js";
import { count } from "../../lib/number.js";
import { Failure } from "../../parts/panel.js";
import { link } from "../../state/route.js";
import { whyNotWrite } from "../../state/session.js";

const LOOK_MS = 2000;
const WATCHED = { _id: "machine" };

const isWatched = async () => (await command("larder", { find: "watched", filter: WATCHED, limit: 1 })).cursor.firstBatch.length > 0;

/** Asks the server to watch its machine, or to leave off: a document says which. */
const watch = (on) => command("larder", on ? { update: "watched", updates: [{ q: WATCHED, u: { $set: {} }, upsert: true }] } : { delete: "watched", deletes: [{ q: WATCHED, limit: 1 }] });

export function Machine() {
  const [now, setNow] = useState(null);
  const [error, setError] = useState(null);
  const look = async () => {
    try {
      const on = await isWatched();
      const { collections } = await get("/api/collections");
      const documents = (name) => collections.find((one) => one.name === name)?.documents ?? 0;
      setNow({ on, figures: documents("larder.figures"), lines: documents("larder.log") });
      setError(null);
    } catch (failed) {
      setError(failed);
    }
  };
  useEffect(() => {
    look();
    const timer = setInterval(() => document.hidden || look(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const change = async () => {
    try {
      await watch(!now.on);
    } catch (failed) {
      setError(failed);
      return;
    }
    await look();
  };
  const refused = whyNotWrite("larder");
  return html`<div class="card">
    <h2>Watch this machine</h2>
    <p class="muted">Processor, memory, disk and network every ten seconds, for 30 days; and Larder's own log, its last 16 MB.</p>
    ${error && html`<${Failure} error=${error} retry=${look} />`}
    <p class="row"><button disabled=${!now || Boolean(refused)} title=${refused} onClick=${change}>${now?.on ? "Stop" : "Start"}</button>
      <span class=${now?.on && now.figures ? "good" : "muted"} role="status">${!now?.on ? "" : now.figures ? html`✓ ${count(now.figures)} figures: <a href=${link(["graphs", "larder.figures"], { v: "cpu_percent" })}>graph</a>, <a href=${link(["logs", "larder.log"])}>${count(now.lines)} lines</a>` : "waiting for the first figures …"}</span>
    </p>
  </div>`;
}
