// Searches kept under a name, and the lines of a search as a file.

import { html, useRef, useState } from "../../lib/html.js";
import { give } from "../../lib/give.js";
import { parts } from "../../lib/http.js";
import { count } from "../../lib/number.js";
import { Confirm, Dialog } from "../../parts/dialog.js";
import { Failure } from "../../parts/panel.js";
import { link } from "../../state/route.js";
import { useResource } from "../../state/resource.js";
import { forget, keep, saved } from "../../state/saved.js";
import { SaveAs } from "../query/kept.js";
import { filterFor } from "./find.js";
import { valueAt } from "./lines.js";
import { read } from "./window.js";

const PAGE = 5000;
const LINES_MAX = 1_000_000;

/** The buttons of what is kept. */
export function Searches({ name, params }) {
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const { at, around, live, ...kept } = params;
  return html`
    <button onClick=${() => setDialog("saved")}>Saved</button>
    <button onClick=${() => setDialog("save")}>Save</button>
    ${dialog === "save" && html`<${SaveAs} title="Keep this search" close=${close} run=${(as) => keep("searches", as, { coll: name, params: kept })} />`}
    ${dialog === "saved" && html`<${Saved} close=${close} />`}`;
}

function Saved({ close }) {
  const { data, error, reload } = useResource((signal) => saved("searches", signal), []);
  const [gone, setGone] = useState(null);
  return html`<${Dialog} title="Saved searches" close=${close} wide>
    ${error && html`<${Failure} error=${error} retry=${reload} />`}
    ${data && !data.length && html`<p class="muted">None yet: Save keeps query, filters, range and columns under a name, for everybody.</p>`}
    ${data && html`<ul class="kept">${data.map((one) => html`<li key=${one.name}><a class="button quiet" onClick=${close} href=${link(["logs", one.coll], one.params)}>${one.name}</a><span class="mono muted clip">${one.coll} ${one.params.q ?? ""}</span><button class="quiet icon" aria-label=${`Forget ${one.name}`} onClick=${() => setGone(one)}>✕</button></li>`)}</ul>`}
    ${gone && html`<${Confirm} title="Forget a search" text=${`${gone.name} will be gone for everybody.`} action="Forget" close=${() => setGone(null)} run=${async () => { await forget("searches", gone.name); reload(); }} />`}
  <//>`;
}

/** All lines of the search as NDJSON or CSV: streamed by the server where find can say it, else gathered page by page. */
export function Download({ name, asked, shape, columns }) {
  const [state, setState] = useState(null);
  const abort = useRef(null);
  const filter = filterFor(asked, shape);
  const href = (format) => `/api/export/${encodeURIComponent(name)}?${new URLSearchParams({ format, filter: JSON.stringify(filter), sort: JSON.stringify({ [shape.time]: -1 }), ...(format === "csv" && columns.length && { fields: [shape.time, ...columns].join(",") }) })}`;
  if (filter) return html`<span class="muted">Download</span> <a href=${href("ndjson")} download>NDJSON</a> <a href=${href("csv")} download>CSV</a>`;
  const gather = async (format) => {
    abort.current = new AbortController();
    const pieces = [];
    const fields = columns.length ? [shape.time, ...columns] : [shape.time, ...shape.fields.map((field) => field.name).filter((one) => one !== shape.time)];
    if (format === "csv") pieces.push(`${fields.map(cell).join(",")}\r\n`);
    let [after, n] = [undefined, 0];
    try {
      for (;;) {
        const rows = await read(name, asked, shape, { after, size: PAGE }, abort.current.signal);
        pieces.push(new Blob([rows.map(({ source }) => (format === "csv" ? `${fields.map((field) => cell(valueAt(source, field))).join(",")}\r\n` : `${JSON.stringify(source)}\n`)).join("")]));
        setState({ says: `${count((n += rows.length))} lines …` });
        if (rows.length < PAGE || n >= LINES_MAX) break;
        after = rows.at(-1);
      }
      give(new Blob(pieces), `${parts(name)[1]}.${format}`);
      setState(n >= LINES_MAX ? { says: `The newest ${count(LINES_MAX)} lines: narrow the range for the rest.` } : null);
    } catch (error) {
      setState(error.name === "AbortError" ? null : { says: error.message });
    }
  };
  return html`<span class="muted">Download</span> <button class="quiet" onClick=${() => gather("ndjson")}>NDJSON</button> <button class="quiet" onClick=${() => gather("csv")}>CSV</button>
    ${state && html`<span role="status">${state.says}</span> <button class="quiet" onClick=${() => abort.current.abort()}>Stop</button>`}`;
}

function cell(value) {
  const text = value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
