// The documents that a filter finds: as a table, or as JSON. Pages come from a cursor; no more than a window is kept.

import { html, useLayoutEffect, useRef, useState } from "../../lib/html.js";
import { columnsOf, isNumeric, typesOf } from "../../lib/columns.js";
import { number, own, print } from "../../lib/ejson.js";
import { command, commandPath, curl, parts } from "../../lib/http.js";
import { count } from "../../lib/number.js";
import { parseDocument } from "../../lib/shell.js";
import { DOCUMENTS_MAX, PAGE, TRIM_BYTES } from "../../limits.js";
import { Asked, Copy, Empty, Tabs } from "../../parts/panel.js";
import { Cell } from "../../parts/value.js";
import { go, link, refine } from "../../state/route.js";
import { useAgain } from "../../state/resource.js";
import { session } from "../../state/session.js";
import { moveInList } from "../../parts/roving.js";

/** The command of what the address asks. */
function findOf(name, { filter = "", sort = "", fields = "" }) {
  const projection = Object.fromEntries(fields.split(",").map((field) => field.trim()).filter(Boolean).map((field) => [field, 1]));
  const find = { find: parts(name)[1], filter: parseDocument(filter), batchSize: PAGE, maxTimeMS: 30_000 };
  if (sort.trim()) find.sort = parseSort(sort);
  if (Object.keys(projection).length) find.projection = projection;
  return find;
}

/** The order by one field, as it is typed. */
const sortText = (field, order) => (/^[^\s{,-][^,]*$/.test(field) ? `${order < 0 ? "-" : ""}${field}` : print({ [field]: order }));

/** `-pop, name` or `{ pop: -1, name: 1 }`. */
export function parseSort(text) {
  if (text.trim().startsWith("{")) return parseDocument(text);
  const keys = text.split(",").map((key) => key.trim()).filter(Boolean);
  return Object.fromEntries(keys.map((key) => (key.startsWith("-") ? [key.slice(1), -1] : [key, 1])));
}

export function Found({ name, params, total }) {
  const [state, setState] = useState({ documents: [], cursor: 0, loading: true, error: null, ms: 0 });
  const [matches, setMatches] = useState(null);
  const running = useRef(null);
  const open = useRef(null);
  const [database, collection] = parts(name);
  const keyOf = ({ filter = "", sort = "", fields = "" }) => JSON.stringify([filter, sort, fields]);
  const asked = keyOf(params);

  /** A cursor that nobody goes on with holds memory of the server until it is forgotten. */
  const release = () => {
    if (open.current) command(database, { killCursors: collection, cursors: [{ $numberLong: open.current }] }).catch(() => null);
    open.current = null;
  };
  const run = async (more) => {
    running.current?.abort();
    if (!more) release();
    const abort = (running.current = new AbortController());
    setState((before) => ({ ...before, loading: true, error: null }));
    const begun = performance.now();
    try {
      const body = more ? { getMore: { $numberLong: String(state.cursor) }, collection, batchSize: PAGE } : findOf(name, params);
      const { cursor } = await command(database, body, { trim: TRIM_BYTES, signal: abort.signal });
      const documents = more ? [...state.documents, ...cursor.nextBatch] : cursor.firstBatch;
      open.current = cursor.id.$numberLong > 0 ? cursor.id.$numberLong : null;
      if (abort.signal.aborted || documents.length >= DOCUMENTS_MAX) release();
      if (abort.signal.aborted) return;
      setState({ documents, cursor: cursor.id.$numberLong ?? 0, loading: false, error: null, ms: performance.now() - begun });
    } catch (error) {
      if (!abort.signal.aborted) setState((before) => ({ ...before, loading: false, error }));
    }
  };
  // Not after the next frame: what one asks is often there before it.
  useLayoutEffect(() => {
    run(false);
    return () => {
      running.current?.abort();
      release();
    };
  }, [asked]);
  useLayoutEffect(() => {
    setMatches(null);
    if (!params.filter?.trim()) return;
    const abort = new AbortController();
    countMatches(database, collection, params.filter, abort.signal).then(setMatches, () => {});
    return () => abort.abort();
  }, [params.filter]);

  useAgain(state.error, () => run(false));

  // What Back undoes.
  const step = (changes) => go(["docs", name], { ...params, ...changes });
  const { documents, cursor, loading, error, ms } = state;
  const hasMore = String(cursor) !== "0";
  const of = matches ?? (params.filter?.trim() ? null : total);
  return html`
    <${Query} params=${params} run=${(given) => (keyOf(given) === asked ? run(false) : step(given))} error=${error} />
    <div class="row">
      <${Tabs} label="Form" now=${params.as ?? "table"} choose=${(as) => refine({ as: as === "table" ? undefined : as })} tabs=${[["table", "Table"], ["json", "JSON"]]} />
      <span class="muted" role="status">${!loading && !error && `${count(documents.length)}${of == null ? (hasMore ? " shown" : " documents") : ` of ${count(of)}`} · ${Math.round(ms)} ms`}</span>
      <span class="grow"></span>
      <${Export} name=${name} params=${params} />
      <${Copy} label="Copy as curl" text=${() => curl("POST", commandPath(database), findOf(name, params), session.value?.user?.name)} />
    </div>
    <${Asked} loading=${loading} error=${error} reload=${() => run(false)} />
    ${!loading && !error && !documents.length && html`<${Empty}>${params.filter ? html`<p>No document matches the filter.</p><button onClick=${() => step({ filter: undefined })}>Remove the filter</button>` : html`<p>The collection is empty: drop a file on it by Import, or make a document by New.</p>`}<//>`}
    ${documents.length > 0 && (params.as === "json" ? html`<${AsJson} name=${name} documents=${documents} />` : html`<${AsTable} name=${name} documents=${documents} sort=${params.sort} sortBy=${(sort) => step({ sort })} />`)}
    ${hasMore && documents.length < DOCUMENTS_MAX && html`<p class="center"><button disabled=${loading} onClick=${() => run(true)}>${PAGE} more</button></p>`}
    ${hasMore && documents.length >= DOCUMENTS_MAX && html`<p class="center muted">${count(DOCUMENTS_MAX)} documents are shown; narrow the filter or export all.</p>`}`;
}

async function countMatches(database, collection, filter, signal) {
  const reply = await command(database, { count: collection, query: parseDocument(filter), maxTimeMS: 5000 }, { signal });
  return number(reply.n);
}

/** Filter, sort and fields; they run by Enter. */
function Query({ params, run, error }) {
  const [wrong, setWrong] = useState(null);
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    try {
      findOf("a.b", given);
      setWrong(null);
    } catch (failed) {
      return setWrong(failed.message);
    }
    run(given);
  };
  return html`<form class="query" onSubmit=${submit}>
    <label class="filter">Filter <input data-query class="mono" name="filter" spellcheck=${false} autocapitalize="off" placeholder=${'{ pop: { $gt: 10000 } }'} defaultValue=${params.filter} value=${params.filter} aria-invalid=${Boolean(wrong)} aria-describedby="filter-error" /></label>
    <label>Sort <input class="mono" name="sort" spellcheck=${false} autocapitalize="off" placeholder="-pop, city" value=${params.sort} /></label>
    <label>Fields <input class="mono" name="fields" spellcheck=${false} autocapitalize="off" placeholder="all" value=${params.fields} /></label>
    <button class="primary" data-run>Find</button>
    <p id="filter-error" class="error" role="alert">${wrong}</p>
  </form>`;
}

function Export({ name, params }) {
  const href = (format) => {
    const query = new URLSearchParams({ format });
    try {
      const { filter, sort, projection } = findOf(name, params);
      if (Object.keys(filter).length) query.set("filter", JSON.stringify(filter));
      if (sort) query.set("sort", JSON.stringify(sort));
      if (projection) query.set("fields", Object.keys(projection).join(","));
    } catch {
      // What cannot be read is said at the filter, and is not the same as all documents.
      return undefined;
    }
    return `/api/export/${encodeURIComponent(name)}?${query}`;
  };
  return html`<span class="muted">Export</span> <a href=${href("ndjson")} download>NDJSON</a> <a href=${href("csv")} download>CSV</a>`;
}

function AsTable({ name, documents, sort, sortBy }) {
  const columns = columnsOf(documents.slice(0, PAGE));
  const sorted = (column) => ({ [sortText(column, 1)]: "ascending", [sortText(column, -1)]: "descending" })[sort];
  const next = (column) => (sorted(column) === "descending" ? undefined : sortText(column, sorted(column) ? -1 : 1));
  return html`<div class="scroll"><table class="rows documents" onKeyDown=${moveInList}>
    <thead><tr>${columns.map((column) => html`<th key=${column} class=${isNumeric(typesOf(documents, column)) ? "num" : ""} aria-sort=${sorted(column)}><button class="quiet" onClick=${() => sortBy(next(column))}>${column}${{ ascending: " ▲", descending: " ▼" }[sorted(column)] ?? ""}</button> <small>${typesOf(documents, column)}</small></th>`)}</tr></thead>
    <tbody>${documents.map((document, at) => html`<tr key=${at} onClick=${(event) => event.target.closest("a") || getSelection().toString() || openDocument(name, document)}>
      ${columns.map((column, place) => html`<${Cell} key=${column} value=${own(document, column)} link=${place === 0 ? href(name, document) : undefined} />`)}
    </tr>`)}</tbody>
  </table></div>`;
}

const href = (name, document) => (own(document, "_id") !== undefined ? link(["docs", name, print(document._id)]) : undefined);
const openDocument = (name, document) => own(document, "_id") !== undefined && go(["docs", name, print(document._id)]);

function AsJson({ name, documents }) {
  return html`<ol class="json-list" onKeyDown=${moveInList}>${documents.map((document, at) => html`<li key=${at} class="card">
    <pre>${print(document, "  ")}</pre>
    <a href=${href(name, document)}>Open</a>
  </li>`)}</ol>`;
}
