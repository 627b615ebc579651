// One log: what is asked stands in the address; lines, bars and live lines come each on their own.

import { html, useLayoutEffect, useState } from "../../lib/html.js";
import { scalar } from "../../lib/ejson.js";
import { GROUPS } from "../../lib/level.js";
import { count } from "../../lib/number.js";
import { parsed } from "../../lib/stored.js";
import { fromInput, toInput } from "../../lib/time.js";
import { Histogram } from "../../parts/histogram.js";
import { isFree, isShortcut } from "../../parts/keys.js";
import { Live } from "../../parts/live.js";
import { Asked, Empty, Failure } from "../../parts/panel.js";
import { TimeField } from "../../parts/timefield.js";
import { TimeRail } from "../../parts/timerail.js";
import { go, link, refine } from "../../state/route.js";
import { useMeanwhile, useResource } from "../../state/resource.js";
import { Details } from "./details.js";
import { FieldList } from "./fields.js";
import { filterFor, findExtent } from "./find.js";
import { Download, Searches } from "./kept.js";
import { Lines } from "./lines.js";
import { useLive } from "./live.js";
import { roughHistogram } from "./rough.js";
import { extent, histogram, queryFor } from "./search.js";
import { isLine, useWindow } from "./window.js";

/** How long exact bars are waited for before a sample is asked for. */
const ROUGH_AFTER_MS = 500;

/** Bars of what goes on are counted again so long after they came. */
const LIVE_BARS_MS = 5000;

/** Filters of an address, which anybody may have written. */
function filtersOf(text) {
  const all = parsed(text);
  return Array.isArray(all) ? all.filter((one) => typeof one?.field === "string") : [];
}

export function Log({ name, params, shape }) {
  const asked = { q: params.q, from: Number(params.from) || undefined, to: Number(params.to) || undefined, filters: filtersOf(params.f), group: shape.level && GROUPS.some(({ name: group }) => group === params.level) ? params.level : undefined };
  const columns = (params.cols ?? "").split(",").filter(Boolean);
  const query = queryFor(asked, shape);
  const key = JSON.stringify([query, params.around]);
  const lines = useWindow(name, asked, shape, key, parsed(params.at));
  const { page, arriving, focus, setFocus, toTop, nextError } = lines;
  const [opened, setOpened] = useState(null);
  const [showsFields, setShowsFields] = useState(innerWidth >= 1500);
  const isLive = Boolean(params.live);

  const bars = useResource(async (signal) => {
    const range = asked.from && asked.to ? { oldest: asked.from, newest: asked.to } : await (filterFor(asked, shape) ? findExtent(name, filterFor(asked, shape), shape, signal) : extent(name, query, shape, signal));
    if (range.oldest === null) return null;
    return histogram(name, query, shape, { from: asked.from ?? range.oldest, to: Math.max(range.newest, (asked.from ?? range.oldest) + 1) }, signal);
  }, [name, key], isLive ? LIVE_BARS_MS : 0);
  const rough = useMeanwhile((signal) => roughHistogram(name, asked, shape, signal), key, !bars.loading, ROUGH_AFTER_MS);
  const shown = rough ?? bars.data;

  const live = useLive(isLive, name, asked, shape, lines.arrive, lines.catchUp, key);

  const placeOf = ({ id, time, key: own }) => JSON.stringify({ id, time, key: own });
  /** Lines around one, without query and filters; Back, or Esc, leads to the same row of what was asked. */
  const around = (row) => {
    refine({ at: placeOf(row) });
    go(["logs", name], { cols: params.cols, at: placeOf(row), around: row.id });
  };
  // Whoever came by an address alone has nothing behind him.
  const back = () => (history.length > 1 ? history.back() : go(["logs", name], { cols: params.cols }));
  // With what is drawn, not after it: a key that is pressed as soon as a row is seen goes on from that row.
  useLayoutEffect(() => {
    const onKey = (event) => {
      if (!isFree(event)) return;
      if (isShortcut(event) && (event.key === "e" || event.key === "E")) nextError(event.key === "E");
      if (isShortcut(event) && event.key === "c" && focus && isLine(focus) && !params.around) around(focus);
      if (event.key === "Escape" && params.around) back();
      if (event.key === "End") {
        // The browser would scroll the list down, where a text is marked in it.
        event.preventDefault();
        toTop();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const add = (filter) => go(["logs", name], { ...params, at: undefined, f: JSON.stringify([...asked.filters, filter]) });
  const remove = (at) => go(["logs", name], { ...params, at: undefined, f: asked.filters.length > 1 ? JSON.stringify(asked.filters.filter((_, place) => place !== at)) : undefined });
  const toggleColumn = (column) => refine({ cols: (columns.includes(column) ? columns.filter((known) => known !== column) : [...columns, column]).join(",") });

  return html`<section class="view logs">
    <div class="head">
      <h1><a class="up" href="#/logs">Logs</a> / ${name}</h1>
      <span class="muted" role="status">${shown && told(shown)}</span><span class="grow"></span>
      <button aria-pressed=${showsFields} onClick=${() => setShowsFields(!showsFields)}>Fields</button>
      <${Live} isLive=${isLive} rate=${live.rate > 0 ? ` ${count(live.rate)}/s` : ""} />
      <${Searches} name=${name} params=${params} />
    </div>
    <${QueryLine} name=${name} params=${params} range=${shown} error=${page.error} />
    ${asked.filters.length > 0 && html`<ul class="chips" aria-label="Filters">${asked.filters.map((filter, at) => html`<li key=${at}><span>${filter.not ? "−" : "+"} ${filter.field}: ${String(scalar(filter.value))}</span><button class="quiet icon" aria-label=${`Remove ${filter.field} ${scalar(filter.value)}`} onClick=${() => remove(at)}>✕</button></li>`)}</ul>`}
    <${Asked} loading=${page.loading || bars.loading} />
    ${bars.error ? html`<${Failure} error=${bars.error} retry=${bars.reload} />` : html`<${Histogram} data=${shown} choose=${(from, to) => go(["logs", name], { ...params, at: undefined, from, to })} />`}
    <div class="legend">${shape.level && GROUPS.map(({ name: group }) => html`<button key=${group} class="quiet" aria-pressed=${asked.group === group} title=${asked.group === group ? "All levels" : `Only ${group}`} onClick=${() => go(["logs", name], { ...params, at: undefined, level: asked.group === group ? undefined : group })}><span class=${`mark ${group}`} aria-hidden="true"></span>${group}</button>`)}<span class="muted for-keys">${shape.level && "e / E: next older / newer error · "}c: lines around</span><span class="grow"></span><${Download} name=${name} asked=${asked} shape=${shape} columns=${columns} /></div>
    ${params.around && html`<p class="note row"><span>Lines around one, without query and filters.</span><button onClick=${back}>Back to the search (Esc)</button></p>`}
    ${isLive && live.error && html`<p class="note" role="status">No live lines: ${live.error}. Trying again.</p>`}
    ${page.error && html`<${Failure} error=${page.error} />`}
    ${arriving.count > 0 && html`<p class="center"><button class="primary" onClick=${toTop}>↑ ${count(arriving.count)} new lines (End)</button></p>`}
    <div class=${showsFields ? "log-body with-fields" : "log-body"}>
      ${showsFields && html`<${FieldList} name=${name} query=${query} shape=${shape} add=${add} columns=${columns} toggleColumn=${toggleColumn} />`}
      ${page.rows.length || page.loading ? html`<${Lines} rows=${page.rows} shift=${page.shift} older=${() => lines.more(false)} newer=${() => lines.more(true)} fill=${lines.fill} open=${setOpened} shape=${shape} columns=${columns} focus=${focus} setFocus=${setFocus} onTop=${(is) => (lines.isOnTop.current = is)} rail=${(newest, oldest) => html`<${TimeRail} data=${params.around ? null : shown} newest=${newest} oldest=${oldest} choose=${lines.toTime} />`} />`
        : html`<${Empty}><p>No line matches.</p>${(params.from || params.to) && html`<button onClick=${() => go(["logs", name], { ...params, from: undefined, to: undefined })}>Widen to all time</button>`}${asked.filters.length > 0 && html`<a class="button" href=${link(["logs", name], { ...params, f: undefined })}>Remove the filters</a>`}<//>`}
    </div>
    ${opened && html`<${Details} row=${opened} name=${name} shape=${shape} around=${(row) => { setOpened(null); around(row); }} add=${(filter) => { setOpened(null); add(filter); }} close=${() => setOpened(null)} />`}
  </section>`;
}

/** How many lines there are, and how exact that is. */
function told({ total, rough }) {
  if (!rough) return `${count(total)} lines`;
  return `≈ ${count(total)}${rough.error ? ` ± ${count(rough.error)}` : ""} lines; bars from a sample of ${count(rough.sampled)} until all are counted`;
}

function QueryLine({ name, params, range, error }) {
  const submit = (event) => {
    event.preventDefault();
    const { q, from, to } = Object.fromEntries(new FormData(event.target));
    go(["logs", name], { ...params, at: undefined, around: undefined, q, from: typed(from, shownFrom) ?? params.from, to: typed(to, shownTo) ?? params.to });
  };
  // The fields have no parts of seconds, the range may have.
  const typed = (text, shown) => (text && fromInput(text) !== fromInput(shown) ? fromInput(text) : undefined);
  const shownFrom = range ? toInput(range.from) : "";
  const shownTo = range ? toInput(range.to) : "";
  const [showsRange, setShowsRange] = useState(false);
  return html`<form class=${showsRange ? "query log-query with-range" : "query log-query"} onSubmit=${submit}>
    <label class="filter">Query <input data-query class="mono" name="q" spellcheck=${false} autocapitalize="off" placeholder=${'level:error AND "timed out"'} value=${params.q} aria-invalid=${Boolean(error)} /></label>
    <${TimeField} label="From" name="from" value=${shownFrom} />
    <${TimeField} label="To" name="to" value=${shownTo} />
    <button class="primary" data-run>Search</button>
    <button type="button" class="phone" aria-expanded=${showsRange} onClick=${() => setShowsRange(!showsRange)}>Range</button>
    <button type="button" disabled=${!params.from && !params.to} onClick=${() => go(["logs", name], { ...params, from: undefined, to: undefined })}>All time</button>
  </form>`;
}
