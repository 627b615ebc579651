// One file: looked at as far as a browser safely can, its versions, its end.

import { html, useState } from "../../lib/html.js";
import { ask, send } from "../../lib/http.js";
import { bytes } from "../../lib/number.js";
import { stamp } from "../../lib/time.js";
import { TEXT_BYTES } from "../../limits.js";
import { Confirm, Dialog } from "../../parts/dialog.js";
import { Copy, Failure } from "../../parts/panel.js";
import { useResource } from "../../state/resource.js";

const kindOf = ({ contentType }) => contentType.toLowerCase().split(";")[0].trim();
const isPicture = (kind) => /^image\/(png|jpe?g|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/.test(kind);
const isText = (kind) => /^text\/|^application\/(json|xml|x-ndjson|javascript|x-sh|toml|yaml|sql)|\+(json|xml)$/.test(kind);

export const idText = (id) => (typeof id === "string" ? id : JSON.stringify(id));
const addressOf = (bucket, { id }) => `/files/${encodeURIComponent(bucket)}?id=${encodeURIComponent(idText(id))}`;

/** A small picture of a file, or what it is by its name's end. A picture is drawn, never opened, so that nothing in it runs. */
export function Thumb({ bucket, file }) {
  if (isPicture(kindOf(file)) && file.length < 20 << 20) return html`<img class="thumb" loading="lazy" alt="" src=${addressOf(bucket, file)} />`;
  return html`<span class="thumb" aria-hidden="true">${(file.name ?? "").split(".").at(-1).slice(0, 5).toUpperCase()}</span>`;
}

export function FileView({ bucket, file, why, close, changed }) {
  const [at, setAt] = useState(file.versions.length - 1);
  const [gone, setGone] = useState(null);
  const version = file.versions[Math.min(at, file.versions.length - 1)];
  const url = addressOf(bucket, version);
  const remove = async () => {
    const all = gone === "all" ? file.versions : [version];
    for (const one of all) await ask("DELETE", addressOf(bucket, one));
    if (all.length === file.versions.length) close();
    changed();
  };
  return html`<${Dialog} title=${file.name} close=${close} wide>
    <${Look} url=${url} version=${version} key=${url} />
    <dl class="pairs"><div><dt>size</dt><dd>${bytes(version.length)}</dd></div><div><dt>type</dt><dd>${version.contentType}</dd></div>${version.blake3 && html`<div><dt>BLAKE3</dt><dd class="mono clip">${version.blake3}</dd></div>`}</dl>
    <h3>Versions</h3>
    <ul class="plain-list">${file.versions.map((one, place) => html`<li key=${place}><button class="quiet" aria-pressed=${one === version} onClick=${() => setAt(place)}>v${place + 1} · ${stamp(Date.parse(one.uploaded)).slice(0, 19)} · ${bytes(one.length)}</button></li>`).reverse()}</ul>
    <p class="actions">
      <${Copy} label="Copy address" text=${location.origin + url} />
      <a class="button" href=${`${url}&download=1`} download=${file.name}>Download</a>
      <button class="danger" disabled=${Boolean(why)} title=${why} onClick=${() => setGone("one")}>Delete${file.versions.length > 1 ? " this version" : ""}</button>
      ${file.versions.length > 1 && html`<button class="danger" disabled=${Boolean(why)} title=${why} onClick=${() => setGone("all")}>Delete all ${file.versions.length}</button>`}
    </p>
    ${gone && html`<${Confirm} title="Delete" text=${gone === "all" ? `All ${file.versions.length} versions of ${file.name} will be gone.` : `${file.name}, ${bytes(version.length)}, will be gone.`} action="Delete" close=${() => setGone(null)} run=${remove} />`}
  <//>`;
}

function Look({ url, version }) {
  const kind = kindOf(version);
  if (isPicture(kind)) return html`<img class="look" alt=${version.name ?? "The picture"} src=${url} />`;
  if (kind.startsWith("audio/")) return html`<audio class="look" controls preload="metadata" src=${url}></audio>`;
  if (kind.startsWith("video/")) return html`<video class="look" controls preload="metadata" src=${url}></video>`;
  if (isText(kind)) return html`<${TextOf} url=${url} version=${version} />`;
  return html`<p class="muted">No preview of ${kind}: download it.</p>`;
}

/** The beginning as text, whatever it says it is: what scripts it has do not run. */
function TextOf({ url, version }) {
  const { data, error, reload } = useResource(async (signal) => {
    const response = await send(url, { signal, headers: version.length ? { Range: `bytes=0-${TEXT_BYTES - 1}` } : {} });
    return response.text();
  }, [url]);
  if (error) return html`<${Failure} error=${error} retry=${reload} />`;
  return html`<pre class="look text" tabindex="0" role="region" aria-label="The text">${data}</pre>${version.length > TEXT_BYTES && html`<p class="muted">The first ${bytes(TEXT_BYTES)}.</p>`}`;
}
