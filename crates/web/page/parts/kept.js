// What is kept under names, for everybody: searches, queries.

import { html, useState } from "../lib/html.js";
import { useResource } from "../state/resource.js";
import { forget, saved } from "../state/saved.js";
import { Confirm, Dialog, FormDialog } from "./dialog.js";
import { Failure } from "./panel.js";

/** @param {{title: string, collection: "searches" | "queries", show: (one: object) => object, close: () => void}} props */
export function Saved({ title, collection, show, close }) {
  const { data, error, reload } = useResource((signal) => saved(collection, signal), []);
  const [gone, setGone] = useState(null);
  return html`<${Dialog} title=${title} close=${close} wide>
    ${error && html`<${Failure} error=${error} retry=${reload} />`}
    ${data && !data.length && html`<p class="muted">None yet: Save keeps what is asked under a name, for everybody.</p>`}
    ${data && html`<ul class="kept">${data.map((one) => html`<li key=${one.name}>${show(one)}<button class="quiet icon" aria-label=${`Forget ${one.name}`} onClick=${() => setGone(one)}>✕</button></li>`)}</ul>`}
    ${gone && html`<${Confirm} title="Forget what is kept" text=${`${gone.name} will be gone for everybody.`} action="Forget" close=${() => setGone(null)} run=${() => forget(collection, gone.name).then(reload)} />`}
  <//>`;
}

/** Asks for a name, which is more than blanks, and keeps something under it. */
export function SaveAs({ title, action = "Save", run, close, label = "Name", children, ...input }) {
  return html`<${FormDialog} title=${title} action=${action} close=${close} run=${({ name }) => run(name.trim())}>
    <label>${label} <input name="name" required pattern=".*\\S.*" autocomplete="off" autofocus ...${input} /></label>
    ${children}
  <//>`;
}
