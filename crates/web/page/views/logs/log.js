// One log: what is asked stands in the address; lines, bars and live lines come each on their own.

import { html, useEffect, useRef, useState } from "../../lib/html.js";
import { ARRIVING_MAX, LINES_MAX } from "../../limits.js";
import { GROUPS, queryOf } from "../../lib/level.js";
import { count } from "../../lib/number.js";
import { events } from "../../lib/sse.js";
import { indexName } from "../../lib/http.js";
import { fromInput, toInput } from "../../lib/time.js";
import { Histogram } from "../../parts/histogram.js";
import { isFree } from "../../parts/keys.js";
import { Empty, Failure, Loading } from "../../parts/panel.js";
import { go, link, refine } from "../../state/route.js";
import { useResource } from "../../state/resource.js";
import { Details } from "./details.js";
import { FieldList } from "./fields.js";
import { Lines } from "./lines.js";
import { extent, histogram, lines, queryFor } from "./search.js";

const parsed = (text) => {
  try {
    return JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
};

export function Log({ name, params, shape }) {
  const asked = { q: params.q, from: Number(params.from) || undefined, to: Number(params.to) || undefined, filters: parsed(params.f) };
  const columns = (params.cols ?? "").split(",").filter(Boolean);
  const query = queryFor(asked, shape);
  const key = JSON.stringify(query);
  const [page, setPage] = useState({ rows: [], shift: 0, loading: true, error: null, hasOlder: true, hasNewer: false });
  const [arriving, setArriving] = useState({ rows: [], skipped: 0, rate: 0 });
  const [focus, setFocus] = useState(null);
  const [opened, setOpened] = useState(null);
  const [showsFields, setShowsFields] = useState(false);
  const isOnTop = useRef(true);
  const busy = useRef(false);
  const isLive = Boolean(params.live);

  const bars = useResource(async (signal) => {
    const range = asked.from && asked.to ? { oldest: asked.from, newest: asked.to } : await extent(name, query, shape, signal);
    if (range.oldest === null) return null;
    return histogram(name, query, shape, { from: asked.from ?? range.oldest, to: Math.max(range.newest, (asked.from ?? range.oldest) + 1) }, signal);
  }, [name, key]);

  useEffect(() => {
    const abort = new AbortController();
    setPage((before) => ({ ...before, loading: true, error: null }));
    setArriving({ rows: [], skipped: 0 });
    lines(name, query, shape, {}, abort.signal).then(
      (rows) => setPage({ rows, shift: 0, loading: false, error: null, hasOlder: rows.length > 0, hasNewer: false }),
      (error) => error.name !== "AbortError" && setPage((before) => ({ ...before, loading: false, error })),
    );
    return () => abort.abort();
  }, [name, key]);

  const more = async (newer) => {
    const edge = newer ? page.rows[0] : page.rows.at(-1);
    if (busy.current || !edge || !(newer ? page.hasNewer : page.hasOlder)) return;
    busy.current = true;
    try {
      const found = await lines(name, query, shape, { after: edge, newer });
      setPage((before) => {
        if (!before.rows.includes(edge)) return before;
        if (newer) {
          const rows = [...found, ...before.rows].slice(0, LINES_MAX);
          return { ...before, rows, shift: found.length, hasNewer: found.length > 0, hasOlder: true };
        }
        const all = [...before.rows, ...found];
        const dropped = Math.max(0, all.length - LINES_MAX);
        return { ...before, rows: all.slice(dropped), shift: -dropped, hasOlder: found.length > 0, hasNewer: before.hasNewer || dropped > 0 };
      });
    } catch (error) {
      setPage((before) => ({ ...before, error }));
    }
    busy.current = false;
  };

  useLive(isLive, name, asked, shape, (rows, skipped) => {
    if (isOnTop.current && !page.hasNewer) setPage((before) => ({ ...before, rows: [...rows, ...before.rows].slice(0, LINES_MAX), shift: 0, hasOlder: true }));
    else setArriving((before) => ({ rows: [...rows, ...before.rows].slice(0, ARRIVING_MAX), skipped: before.skipped + rows.length + skipped }));
  }, key);

  const nextError = async (newer) => {
    const field = shape.level?.exact ?? shape.level?.name;
    if (!field) return;
    const errors = { bool: { filter: [query, queryOf(field, "error")] } };
    const [found] = await lines(name, errors, shape, { after: focus ?? undefined, newer, size: 1 });
    if (!found) return;
    const near = page.rows.find((row) => row.id === found.id);
    if (!near) {
      const [before, after] = await Promise.all([lines(name, query, shape, { after: found, newer: true, size: 100 }), lines(name, query, shape, { after: found, size: 100 })]);
      setPage((old) => ({ ...old, rows: [...before, found, ...after], shift: 0, hasOlder: true, hasNewer: true }));
    }
    const target = near ?? found;
    target.jump = (target.jump ?? 0) + 1;
    setFocus(target);
  };
  useEffect(() => {
    const onKey = (event) => isFree(event) && (event.key === "e" || event.key === "E") && nextError(event.key === "E");
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const add = (filter) => go(["logs", name], { ...params, f: JSON.stringify([...asked.filters, filter]) });
  const remove = (at) => go(["logs", name], { ...params, f: asked.filters.length > 1 ? JSON.stringify(asked.filters.filter((_, place) => place !== at)) : undefined });
  const toTop = () => {
    setArriving({ rows: [], skipped: 0 });
    lines(name, query, shape).then((rows) => setPage((before) => ({ ...before, rows, shift: -1e6, hasNewer: false, hasOlder: true })));
  };
  const toggleColumn = (column) => refine({ cols: (columns.includes(column) ? columns.filter((known) => known !== column) : [...columns, column]).join(",") });

  return html`<section class="view logs">
    <div class="head">
      <h1><a class="up" href="#/logs">Logs</a> / ${name}</h1>
      <span class="muted" role="status">${bars.data && `${count(bars.data.total)} lines`}</span><span class="grow"></span>
      <button aria-pressed=${showsFields} onClick=${() => setShowsFields(!showsFields)}>Fields</button>
      <button data-live aria-pressed=${isLive} onClick=${() => refine({ live: isLive ? undefined : 1 })}>${isLive ? "● Live" : "○ Live"}</button>
      <${Save} rows=${page.rows} />
    </div>
    <${QueryLine} name=${name} params=${params} range=${bars.data} error=${page.error} />
    ${asked.filters.length > 0 && html`<ul class="chips" aria-label="Filters">${asked.filters.map((filter, at) => html`<li key=${at}><span>${filter.not ? "−" : "+"} ${filter.field}: ${String(filter.value)}</span><button class="quiet icon" aria-label=${`Remove ${filter.field} ${filter.value}`} onClick=${() => remove(at)}>✕</button></li>`)}</ul>`}
    <${Loading} on=${page.loading || bars.loading} />
    ${bars.error ? html`<${Failure} error=${bars.error} retry=${bars.reload} />` : html`<${Histogram} data=${bars.data} choose=${(from, to) => go(["logs", name], { ...params, from, to })} />`}
    ${shape.level && html`<div class="legend">${GROUPS.map((group) => html`<span key=${group.name}><span class=${`mark ${group.name}`} aria-hidden="true"></span>${group.name}</span>`)}<span class="muted">e / E: next older / newer error</span></div>`}
    ${page.error && html`<${Failure} error=${page.error} />`}
    ${arriving.skipped > 0 && html`<p class="center"><button class="primary" onClick=${toTop}>↑ ${count(arriving.skipped)} new lines</button></p>`}
    <div class=${showsFields ? "log-body with-fields" : "log-body"}>
      ${showsFields && html`<${FieldList} name=${name} query=${query} shape=${shape} add=${add} columns=${columns} toggleColumn=${toggleColumn} />`}
      ${page.rows.length || page.loading ? html`<${Lines} rows=${page.rows} shift=${page.shift} older=${() => more(false)} newer=${() => more(true)} open=${setOpened} shape=${shape} columns=${columns} focus=${focus} setFocus=${setFocus} onTop=${(is) => (isOnTop.current = is)} />`
        : html`<${Empty}><p>No line matches.</p>${(params.from || params.to) && html`<button onClick=${() => go(["logs", name], { ...params, from: undefined, to: undefined })}>Widen to all time</button>`}${asked.filters.length > 0 && html`<a class="button" href=${link(["logs", name], { ...params, f: undefined })}>Remove the filters</a>`}<//>`}
    </div>
    ${opened && html`<${Details} row=${opened} name=${name} shape=${shape} add=${(filter) => { setOpened(null); add(filter); }} close=${() => setOpened(null)} />`}
  </section>`;
}

function QueryLine({ name, params, range, error }) {
  const submit = (event) => {
    event.preventDefault();
    const { q, from, to } = Object.fromEntries(new FormData(event.target));
    go(["logs", name], { ...params, q, from: typed(from, shownFrom) ?? params.from, to: typed(to, shownTo) ?? params.to });
  };
  // A browser may write the same time in fewer characters.
  const typed = (text, shown) => (text && fromInput(text) !== fromInput(shown) ? fromInput(text) : undefined);
  const shownFrom = range ? toInput(range.from) : "";
  const shownTo = range ? toInput(range.to) : "";
  return html`<form class="query log-query" onSubmit=${submit}>
    <label class="filter">Query <input data-query class="mono" name="q" spellcheck="false" autocapitalize="off" placeholder=${'level:error AND "timed out"'} value=${params.q} aria-invalid=${Boolean(error)} /></label>
    <label>From <input type="datetime-local" step="1" name="from" value=${shownFrom} /></label>
    <label>To <input type="datetime-local" step="1" name="to" value=${shownTo} /></label>
    <button class="primary" data-run>Search</button>
    <button type="button" disabled=${!params.from && !params.to} onClick=${() => go(["logs", name], { ...params, from: undefined, to: undefined })}>All time</button>
  </form>`;
}

/** Lines as they come, as long as it is live and the tab is seen. */
function useLive(isLive, name, asked, shape, take, key) {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    if (!isLive) return;
    const abort = new AbortController();
    const chips = asked.filters.map(({ field, value, not }) => `${not ? "NOT " : ""}${field}:${JSON.stringify(String(value))}`);
    const q = [asked.q?.trim() && `(${asked.q})`, ...chips].filter(Boolean).join(" AND ");
    const follow = async () => {
      for await (const { event, data } of events(`/api/tail?${new URLSearchParams({ c: indexName(name), q })}`, abort.signal)) {
        if (event === "gap") latest.current([], data.count);
        if (event === "lines") latest.current(data.lines.map((line) => ({ id: line._id, source: plainDates(line.document ?? {}), time: timeOf(line.document?.[shape.time]), sort: [timeOf(line.document?.[shape.time]), line._seq_no] })).reverse(), 0);
      }
    };
    follow().catch((error) => error.name !== "AbortError" && console.warn(error.message));
    return () => abort.abort();
  }, [isLive, name, key]);
}

const timeOf = (value) => (typeof value === "object" && value ? Date.parse(value.$date) : Date.parse(value)) || Date.now();
const plainDates = (source) => Object.fromEntries(Object.entries(source).map(([name, value]) => [name, value?.$date ?? value]));

/** What is in the window, as a file. */
function Save({ rows }) {
  const save = (text, kind, ending) => {
    const to = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type: kind })), download: `lines.${ending}` });
    to.click();
    URL.revokeObjectURL(to.href);
  };
  const ndjson = () => save(rows.map((row) => `${JSON.stringify(row.source)}\n`).join(""), "application/x-ndjson", "ndjson");
  return html`<button onClick=${ndjson} disabled=${!rows.length} title="The lines in the window, as NDJSON">Save lines</button>`;
}
