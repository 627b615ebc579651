// One bucket: its files by name, the newest version of each; files dropped anywhere on it are uploaded.

import { html, useLayoutEffect, useRef, useState } from "../../lib/html.js";
import { curl, get } from "../../lib/http.js";
import { bytes, count } from "../../lib/number.js";
import { stamp } from "../../lib/time.js";
import { FILES_PAGE } from "../../limits.js";
import { moveInList } from "../../parts/roving.js";
import { Asked, Copy, Empty, Tabs } from "../../parts/panel.js";
import { useAgain, useRun } from "../../state/resource.js";
import { refine } from "../../state/route.js";
import { session, whyNotWrite } from "../../state/session.js";
import { useSignal } from "../../state/signal.js";
import { add, finished } from "../../state/uploads.js";
import { FileView, Thumb, idText } from "./file.js";
import { Uploads } from "./uploads.js";

/** Files of the same name are versions of one; those that drivers have given no name are each their own. */
const byName = (files) => [...Map.groupBy(files, ({ id, name }) => name ?? `without a name, ${idText(id)}`)].map(([name, versions]) => ({ name, versions, newest: versions.at(-1) }));

const path = (bucket) => `/files/${encodeURIComponent(bucket)}`;

export function Bucket({ bucket, params }) {
  const [isOver, setOver] = useState(false);
  const [opened, setOpened] = useState(null);
  const round = useSignal(finished);
  const input = useRef(null);
  const prefix = params.prefix ?? "";
  const [state, run] = useRun();
  const load = (after) => run(async (signal) => {
    const query = new URLSearchParams({ limit: FILES_PAGE, ...(prefix && { prefix }), ...(after && { after }) });
    const page = await get(`${path(bucket)}?${query}`, signal);
    return { files: after ? [...state.files, ...page.files] : page.files, next: page.next };
  });
  useLayoutEffect(() => {
    load();
  }, [prefix, round]);
  useAgain(state.error, load);
  const upload = (given) => add(bucket, [...given], prefix.endsWith("/") ? prefix : "");
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    if (!why) upload(event.dataTransfer.files);
  };
  const why = whyNotWrite(bucket.includes(".") ? bucket.split(".")[0] : "default");
  const files = byName(state.files ?? []);
  const as = params.as ?? (files.some(({ newest }) => newest.contentType.startsWith("image/")) ? "grid" : "list");
  const shown = opened && files.find(({ name }) => name === opened);
  return html`<section class=${isOver ? "view files over" : "view files"} onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${(event) => event.currentTarget.contains(event.relatedTarget) || setOver(false)} onDrop=${drop}>
    <div class="head"><h1><a class="up" href="#/files">Files</a> / ${bucket}</h1>
      <span class="muted" role="status">${state.files && `${count(files.length)}${state.next ? " shown" : ""} files · ${bytes(state.files.reduce((sum, one) => sum + one.length, 0))}`}</span>
      <span class="grow"></span>
      <input data-query type="search" aria-label="Prefix of names" placeholder="prefix" value=${prefix} onChange=${(event) => refine({ prefix: event.target.value })} />
      <${Tabs} label="Form" now=${as} choose=${(form) => refine({ as: form })} tabs=${[["grid", "Grid"], ["list", "List"]]} />
      <${Copy} label="Copy as curl" text=${() => `${curl("PUT", `${path(bucket)}/NAME`, undefined, session.value?.user?.name)} -T FILE`} />
      <input ref=${input} class="hidden" type="file" multiple tabindex="-1" aria-label="Files to upload" onChange=${(event) => { upload(event.target.files); event.target.value = ""; }} />
      <button class="primary" disabled=${Boolean(why)} title=${why} onClick=${() => input.current.click()}>Upload</button>
    </div>
    <${Asked} loading=${state.loading} error=${state.error} reload=${() => load()} />
    <${Uploads} bucket=${bucket} />
    ${state.files && !state.loading && !files.length && html`<${Empty}><p>${prefix ? `No file's name begins with ${prefix}.` : "Drop files anywhere here. An upload that is cut off, even by closing the page, goes on where it was."}</p>${prefix && html`<button onClick=${() => refine({ prefix: undefined })}>Remove the prefix</button>`}<//>`}
    ${files.length > 0 && (as === "grid" ? html`<${Grid} bucket=${bucket} files=${files} open=${setOpened} />` : html`<${List} files=${files} open=${setOpened} />`)}
    ${state.next && html`<p class="center"><button disabled=${state.loading} onClick=${() => load(state.next)}>${FILES_PAGE} more</button></p>`}
    ${shown && html`<${FileView} bucket=${bucket} file=${shown} why=${why} close=${() => setOpened(null)} changed=${() => load()} />`}
  </section>`;
}

function Grid({ bucket, files, open }) {
  return html`<ul class="thumbs">${files.map((file) => html`<li key=${file.name}><button onClick=${() => open(file.name)}><${Thumb} bucket=${bucket} file=${file.newest} /><span class="name">${file.name}</span><span class="muted">${bytes(file.newest.length)}${file.versions.length > 1 ? ` · v${file.versions.length}` : ""}</span></button></li>`)}</ul>`;
}

function List({ files, open }) {
  return html`<div class="scroll"><table class="rows" onKeyDown=${moveInList}>
    <thead><tr><th>Name</th><th class="num">Size</th><th>Type</th><th>Uploaded</th><th class="num">Versions</th></tr></thead>
    <tbody>${files.map(({ name, newest, versions }) => html`<tr key=${name}><td><button class="quiet link" onClick=${() => open(name)}>${name}</button></td><td class="num nowrap">${bytes(newest.length)}</td><td>${newest.contentType}</td><td class="nowrap">${stamp(Date.parse(newest.uploaded)).slice(0, 19)}</td><td class="num">${versions.length}</td></tr>`)}</tbody>
  </table></div>`;
}
