// All buckets: what GridFS keeps, whichever protocol brought it.

import { html, useState } from "../../lib/html.js";
import { get } from "../../lib/http.js";
import { bytes, count } from "../../lib/number.js";
import { Asked, Empty } from "../../parts/panel.js";
import { go, link } from "../../state/route.js";
import { useResource } from "../../state/resource.js";

/** The buckets among the collections, named with their database where a dot in the name would be taken for the one behind it. */
function bucketsOf(collections) {
  const named = new Map(collections.map((one) => [one.name, one]));
  return collections.filter((one) => one.collection.endsWith(".files")).map((one) => {
    const name = one.collection.slice(0, -".files".length);
    const chunks = named.get(`${one.database}.${name}.chunks`);
    return { name: one.database === "default" && !name.includes(".") ? name : `${one.database}.${name}`, files: one.documents, bytes: chunks?.bytes ?? 0 };
  });
}

export function Buckets() {
  const { data, error, loading, reload } = useResource((signal) => get("/api/collections", signal), []);
  const [name, setName] = useState("");
  const all = bucketsOf(data?.collections ?? []);
  const open = (event) => {
    event.preventDefault();
    if (name.trim()) go(["files", name.trim()]);
  };
  const form = html`<form class="row" onSubmit=${open}><input aria-label="Name of a bucket" placeholder="photos" required value=${name} onInput=${(event) => setName(event.target.value)} /><button>Open or begin a bucket</button></form>`;
  return html`<section class="view">
    <div class="head"><h1>Files</h1><span class="grow"></span>${all.length > 0 && form}</div>
    <${Asked} loading=${loading} error=${error} reload=${reload} />
    ${data && !all.length && html`<${Empty}><p>There are no files yet. Name a bucket, and drop files there; drivers of MongoDB see it as GridFS.</p>${form}<//>`}
    <div class="cards tiles">${all.map((one) => html`<a class="card tile choice" key=${one.name} href=${link(["files", one.name])}><span class="name">${one.name}</span><span class="figure">${count(one.files)}</span><span class="muted">files · ${bytes(one.bytes)}</span></a>`)}</div>
  </section>`;
}
