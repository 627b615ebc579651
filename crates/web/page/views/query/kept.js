// The queries that were run, and those that are kept under a name.

import { html, useState } from "../../lib/html.js";
import { ago } from "../../lib/time.js";
import { Dialog } from "../../parts/dialog.js";
import { SaveAs, Saved } from "../../parts/kept.js";
import { history } from "../../state/history.js";
import { go } from "../../state/route.js";
import { keep } from "../../state/saved.js";

const textOf = ({ db, path, x }) => `${[db, path].filter(Boolean).join(" ")} ${x ?? ""}`.replace(/\s+/g, " ").trim();

/** The buttons of a console: what was run, what is kept, and keeping what stands there now. */
export function Kept({ kind, current }) {
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const open = (one) => {
    close();
    go(["query", one.kind], one.params);
  };
  const show = (one) => html`<button class="quiet" onClick=${() => open(one)}>${one.name && html`<strong>${one.name}</strong>`} <span class="badge">${one.kind}</span> <span class="mono">${textOf(one.params).slice(0, 160)}</span></button>${one.at && html`<span class="muted nowrap">${ago(one.at)}</span>`}`;
  return html`
    <button type="button" onClick=${() => setDialog("history")}>History</button>
    <button type="button" onClick=${() => setDialog("saved")}>Saved</button>
    <button type="button" onClick=${() => setDialog("save")}>Save</button>
    ${dialog === "history" && html`<${Dialog} title="Queries that were run here" close=${close} wide><ul class="kept">${history().map((one, at) => html`<li key=${at}>${show(one)}</li>`)}</ul><//>`}
    ${dialog === "saved" && html`<${Saved} title="Saved queries" collection="queries" show=${show} close=${close} />`}
    ${dialog === "save" && html`<${SaveAs} title="Keep this query" close=${close} run=${(name) => keep("queries", name, { kind, params: current() })} />`}`;
}
