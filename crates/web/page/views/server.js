// The server: what it does now, what was slow, replications, users.

import { html } from "../lib/html.js";
import { Tabs } from "../parts/panel.js";
import { go } from "../state/route.js";
import { Now } from "./server/now.js";
import { Replication } from "./server/replication.js";
import { Slow } from "./server/slow.js";
import { Users } from "./server/users.js";

const TABS = { now: ["Now", Now], slow: ["Slow", Slow], replication: ["Replication", Replication], users: ["Users", Users] };

export default function Server({ segments, params }) {
  const tab = Object.hasOwn(TABS, segments[1]) ? segments[1] : "now";
  const View = TABS[tab][1];
  return html`<section class="view">
    <div class="head"><h1>Server</h1><${Tabs} label="Part" now=${tab} choose=${(name) => go(["server", name])} tabs=${Object.entries(TABS).map(([name, [title]]) => [name, title])} /></div>
    <${View} params=${params} key=${tab} />
  </section>`;
}
