// Conflicts that replication left, side by side and settled; and the history of a document, as far as it is kept.

import { html, useState } from "../../lib/html.js";
import { couchPath, history, leaves, settle } from "../../lib/revisions.js";
import { Asked, Empty } from "../../parts/panel.js";
import { useResource } from "../../state/resource.js";

const told = (text) => text ?? "missing";

export function Conflicts({ name, id, changed }) {
  const path = couchPath(name, id);
  const { data, error, loading, reload } = useResource((signal) => leaves(path, signal), [name, path?.id]);
  if (!path) return html`<p class="muted">The _id of this document is of a type that CouchDB's protocol has not, so it is not replicated, and has no conflicts.</p>`;
  if (error || !data) return html`<${Asked} loading=${loading} error=${error} reload=${reload} />`;
  if (data.length === 1) return html`<${Empty}><p>No conflict: there is one revision, ${data[0]._rev}.</p><//>`;
  return html`<${Settle} path=${path} all=${data} done=${() => { reload(); changed(); }} key=${data.map(({ _rev }) => _rev).join()} />`;
}

/** Field by field one of the revisions is taken; where all agree there is nothing to choose. */
function Settle({ path, all, done }) {
  const bodies = all.map(({ body }) => body);
  const names = [...new Set(bodies.flatMap((body) => [...body.keys()]))];
  const isSame = (name) => bodies.every((body) => body.get(name) === bodies[0].get(name));
  const [taken, setTaken] = useState(new Map());
  const [error, setError] = useState(null);
  const placeOf = (name) => taken.get(name) ?? 0;
  const merged = new Map(names.map((name) => [name, bodies[placeOf(name)].get(name)]).filter(([, text]) => text !== undefined));
  const save = async (body) => {
    try {
      await settle(path, all, body);
      done();
    } catch (failed) {
      setError(failed.message);
    }
  };
  const title = (at) => (at === 0 ? "Ours" : all.length === 2 ? "Theirs" : `Theirs ${at}`);
  return html`<div class="conflicts">
    <p class="note">${all.length} revisions of this document were written apart from each other. ${all[0]._rev} wins for now, on every server alike; the others are kept until somebody chooses.</p>
    <div class="scroll"><table class="rows">
      <thead><tr><th>Field</th>${all.map(({ _rev }, at) => html`<th key=${_rev}>${title(at)} <small>${_rev.slice(0, 10)}</small></th>`)}<th>Merged</th></tr></thead>
      <tbody>${names.map((name) => html`<tr key=${name}><th scope="row" class="mono">${name}</th>
        ${bodies.map((body, at) => html`<td class="mono" key=${at}>${isSame(name) ? html`<span class="muted">${told(body.get(name))}</span>` : html`<label class="check"><input type="radio" name=${`take-${name}`} checked=${placeOf(name) === at} onChange=${() => setTaken(new Map(taken).set(name, at))} aria-label=${`${name}: ${title(at)}`} /> ${told(body.get(name))}</label>`}</td>`)}
        <td class="mono">${told(merged.get(name))}</td></tr>`)}</tbody>
    </table></div>
    ${error && html`<p class="failure" role="alert">${error}</p>`}
    <p class="actions">${all.map(({ _rev }, at) => html`<button key=${_rev} onClick=${() => save(bodies[at])}>Keep ${title(at).toLowerCase()}</button>`)}<button class="primary" onClick=${() => save(merged)}>Save merged</button></p>
  </div>`;
}

export function History({ name, id }) {
  const path = couchPath(name, id);
  const { data, error, loading, reload } = useResource((signal) => history(path, signal), [name, path?.id]);
  if (!path) return html`<p class="muted">The _id of this document is of a type that CouchDB's protocol has not; revisions are kept for those alone.</p>`;
  if (error || !data) return html`<${Asked} loading=${loading} error=${error} reload=${reload} />`;
  const { revisions, more } = data;
  return html`<p class="muted">Older revisions are kept until the next compaction: this is not a backup.</p>
    <ol class="json-list">${revisions.map(({ rev, status, body }, at) => html`<li key=${rev} class="card">
      <h2 class="mono">${rev} ${at === 0 && html`<span class="badge">now</span>`}</h2>
      ${body ? html`<${Changed} before=${revisions[at + 1]?.body} after=${body} isFirst=${at === revisions.length - 1} />` : html`<p class="muted">${status === "missing" ? "not kept any more" : status}</p>`}
    </li>`)}</ol>
    ${more > 0 && html`<p class="muted">${more} older ones are not shown.</p>`}`;
}

function Changed({ before, after, isFirst }) {
  const names = [...new Set([...(before?.keys() ?? []), ...after.keys()])].filter((name) => before?.get(name) !== after.get(name));
  if (!names.length) return html`<p class="muted">Nothing differs from the one before.</p>`;
  return html`${!before && !isFirst && html`<p class="muted">The one before is not kept, so this is the whole.</p>`}
    <dl class="differences">${names.map((name) => html`<div key=${name}><dt class="mono">${name}</dt><dd>${before && html`<del class="mono">${told(before.get(name))}</del> `}<ins class="mono">${told(after.get(name))}</ins></dd></div>`)}</dl>`;
}
