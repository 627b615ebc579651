// Searches kept under a name, and the lines of a search as a file.

import { html, useState } from "../../lib/html.js";
import { csvLine, give } from "../../lib/give.js";
import { valueAt } from "../../lib/ejson.js";
import { parts } from "../../lib/http.js";
import { count } from "../../lib/number.js";
import { SaveAs, Saved } from "../../parts/kept.js";
import { useRun } from "../../state/resource.js";
import { link } from "../../state/route.js";
import { keep } from "../../state/saved.js";
import { filterFor } from "./find.js";
import { read } from "./window.js";

const PAGE = 1000;
const LINES_MAX = 1_000_000;

/** The buttons of what is kept. */
export function Searches({ name, params }) {
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const { at, around, live, ...kept } = params;
  const show = (one) => html`<a class="button quiet" onClick=${close} href=${link(["logs", String(one.coll)], one.params)}>${one.name}</a><span class="mono muted clip">${one.coll} ${one.params.q ?? ""}</span>`;
  return html`
    <button onClick=${() => setDialog("saved")}>Saved</button>
    <button onClick=${() => setDialog("save")}>Save</button>
    ${dialog === "save" && html`<${SaveAs} title="Keep this search" close=${close} run=${(as) => keep("searches", as, { coll: name, params: kept })} />`}
    ${dialog === "saved" && html`<${Saved} title="Saved searches" collection="searches" show=${show} close=${close} />`}`;
}

/** All lines of the search as NDJSON or CSV: streamed by the server where find can say it, else gathered page by page. */
export function Download({ name, asked, shape, columns }) {
  const [state, run] = useRun();
  const [says, setSays] = useState("");
  const filter = filterFor(asked, shape);
  const href = (format) => `/api/export/${encodeURIComponent(name)}?${new URLSearchParams({ format, filter: JSON.stringify(filter), sort: JSON.stringify({ [shape.time]: -1 }), ...(format === "csv" && columns.length && { fields: [shape.time, ...columns].join(",") }) })}`;
  if (filter) return html`<span class="muted">Download</span> <a href=${href("ndjson")} download>NDJSON</a> <a href=${href("csv")} download>CSV</a>`;
  const gather = (format) => run(async (signal) => {
    const fields = [...new Set([shape.time, ...(columns.length ? columns : shape.fields.map((field) => field.name))])];
    const lineOf = ({ source }) => (format === "csv" ? csvLine(fields.map((field) => valueAt(source, field))) : `${JSON.stringify(source)}\n`);
    const pieces = format === "csv" ? [csvLine(fields)] : [];
    let [rows, known, n] = [[], [], 0];
    do {
      // Those of the same time as the last one come again, unless one says which are known.
      known = [...known, ...rows].filter(({ time }) => time === rows.at(-1).time);
      rows = await read(name, asked, shape, { after: rows.at(-1), known, size: PAGE, trim: undefined }, signal);
      pieces.push(new Blob(rows.map(lineOf)));
      n += rows.length;
      setSays(`${count(n)} lines …`);
    } while (rows.length === PAGE && n < LINES_MAX);
    give(new Blob(pieces), `${parts(name)[1]}.${format}`);
    setSays(n < LINES_MAX ? "" : `The newest ${count(LINES_MAX)} lines: narrow the range for the rest.`);
  });
  const stop = () => run(() => setSays(""));
  return html`<span class="muted">Download</span> <button class="quiet" onClick=${() => gather("ndjson")}>NDJSON</button> <button class="quiet" onClick=${() => gather("csv")}>CSV</button>
    <span role="status">${state.error?.message ?? says}</span>${state.loading && html`<button class="quiet" onClick=${stop}>Stop</button>`}`;
}
