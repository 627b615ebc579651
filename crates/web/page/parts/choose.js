// The collections that a view could open, where the address names none.

import { html } from "../lib/html.js";
import { get } from "../lib/http.js";
import { count } from "../lib/number.js";
import { COLLECTIONS_MAX } from "../limits.js";
import { Asked, Empty } from "./panel.js";
import { link } from "../state/route.js";
import { useResource } from "../state/resource.js";

export function Choose({ title, view }) {
  const { data, error, loading, reload } = useResource((signal) => get("/api/collections", signal), []);
  const all = (data?.collections ?? []).filter((one) => one.documents && !["admin", "config", "local"].includes(one.database));
  return html`<section class="view"><h1>${title}</h1><${Asked} loading=${loading} error=${error} reload=${reload} />
    ${data && !all.length && html`<${Empty}><p>There is nothing to show yet.</p><a class="button primary" href="#/start">Drop a file</a><//>`}
    <div class="cards tiles">${all.sort((a, b) => b.documents - a.documents).slice(0, COLLECTIONS_MAX).map((one) => html`<a class="card tile choice" key=${one.name} href=${link([view, one.name])}><span class="name">${one.name}</span><span class="muted">${one.documents.toLocaleString()} documents</span></a>`)}</div>
    ${all.length > COLLECTIONS_MAX && html`<p class="muted">The largest ${COLLECTIONS_MAX} of ${count(all.length)}: <a href="#/docs">Documents</a> finds the others by name.</p>`}
  </section>`;
}
