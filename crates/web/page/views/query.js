// Queries: MongoDB's commands and pipelines, CouchDB's selectors, Elasticsearch's requests.

import { html } from "../lib/html.js";
import { Tabs } from "../parts/panel.js";
import { go } from "../state/route.js";
import { Elastic } from "./query/elastic.js";
import { Mango } from "./query/mango.js";
import { Mongo } from "./query/mongo.js";

const KINDS = { mongo: ["MongoDB", Mongo], mango: ["Mango", Mango], elastic: ["Elasticsearch", Elastic] };

export default function Query({ segments, params }) {
  const kind = Object.hasOwn(KINDS, segments[1]) ? segments[1] : "mongo";
  const Console = KINDS[kind][1];
  return html`<section class="view">
    <div class="head"><h1>Queries</h1>
      <${Tabs} label="Protocol" now=${kind} choose=${(name) => go(["query", name])} tabs=${Object.entries(KINDS).map(([name, [title]]) => [name, title])} />
    </div>
    <${Console} params=${params} key=${kind} />
  </section>`;
}
