// The queries that were run, and those that are kept under a name.

import { html, useState } from "../../lib/html.js";
import { ago } from "../../lib/time.js";
import { Confirm, Dialog } from "../../parts/dialog.js";
import { Failure } from "../../parts/panel.js";
import { history } from "../../state/history.js";
import { go } from "../../state/route.js";
import { useResource } from "../../state/resource.js";
import { forget, keep, saved } from "../../state/saved.js";

const textOf = ({ db, path, x, coll }) => `${[db ?? coll, path].filter(Boolean).join(" ")} ${x ?? ""}`.replace(/\s+/g, " ").trim();

/** The buttons of a console: what was run, what is kept, and keeping what stands there now. */
export function Kept({ kind, current }) {
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const open = (one) => {
    close();
    go(["query", one.kind], one.params);
  };
  return html`
    <button type="button" onClick=${() => setDialog("history")}>History</button>
    <button type="button" onClick=${() => setDialog("saved")}>Saved</button>
    <button type="button" onClick=${() => setDialog("save")}>Save</button>
    ${dialog === "history" && html`<${Dialog} title="Queries that were run here" close=${close} wide><${List} all=${history().map((one) => ({ ...one, says: ago(one.at) }))} open=${open} /><//>`}
    ${dialog === "saved" && html`<${Saved} open=${open} close=${close} />`}
    ${dialog === "save" && html`<${SaveAs} title="Keep this query" close=${close} run=${(name) => keep("queries", name, { kind, params: current() })} />`}`;
}

function List({ all, open, remove }) {
  if (!all.length) return html`<p class="muted">None yet.</p>`;
  return html`<ul class="kept">${all.map((one, at) => html`<li key=${at}><button class="quiet" onClick=${() => open(one)}>${one.name && html`<strong>${one.name}</strong>`} <span class="badge">${one.kind}</span> <span class="mono">${textOf(one.params).slice(0, 160)}</span></button><span class="muted nowrap">${one.says}</span>${remove && html`<button class="quiet icon" aria-label=${`Forget ${one.name}`} onClick=${() => remove(one)}>✕</button>`}</li>`)}</ul>`;
}

function Saved({ open, close }) {
  const { data, error, reload } = useResource((signal) => saved("queries", signal), []);
  const [gone, setGone] = useState(null);
  return html`<${Dialog} title="Saved queries" close=${close} wide>
    ${error && html`<${Failure} error=${error} retry=${reload} />`}
    ${data && html`<${List} all=${data} open=${open} remove=${setGone} />`}
    ${gone && html`<${Confirm} title="Forget a query" text=${`${gone.name} will be gone for everybody.`} action="Forget" close=${() => setGone(null)} run=${async () => { await forget("queries", gone.name); reload(); }} />`}
  <//>`;
}

/** Asks for a name, and keeps something under it. */
export function SaveAs({ title, run, close, label = "Name", begin = "" }) {
  const [error, setError] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    try {
      await run(new FormData(event.target).get("name").trim());
      close();
    } catch (failed) {
      setError(failed.message);
    }
  };
  return html`<${Dialog} title=${title} close=${close}><form onSubmit=${submit}>
    <label>${label} <input name="name" required defaultValue=${begin} autofocus /></label>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <p class="actions"><button type="button" onClick=${close}>Cancel</button><button class="primary">Save</button></p>
  </form><//>`;
}
