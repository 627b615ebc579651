// The window of lines: scrolled both ways without end, with no more rows in it than its limit, and a screenful of elements.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../../lib/html.js";
import { valueAt } from "../../lib/ejson.js";
import { groupOf, letterOf } from "../../lib/level.js";
import { stamp } from "../../lib/time.js";
import { isLine } from "./window.js";

const ROW = 24;
const NEAR_ROWS = 60;
const TEXT_MAX = 2000;

/** @param {{rows: object[], rail: (newest: number, oldest: number) => object, shift: number, older: () => void, newer: () => void, open: (row: object) => void, shape: object, columns: string[], onTop: (is: boolean) => void}} props */
export function Lines({ rows, shift, older, newer, open, shape, columns, onTop, focus, setFocus, fill, rail }) {
  const element = useRef(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useEffect(() => {
    const measure = () => element.current && setView((before) => ({ ...before, height: element.current.clientHeight }));
    const watch = new ResizeObserver(measure);
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  // Rows that came or went above leave what is read where it is.
  useLayoutEffect(() => {
    if (shift) element.current.scrollTop = Math.max(0, element.current.scrollTop + shift * ROW);
  }, [rows]);
  const scroll = () => {
    if (!element.current) return;
    const { scrollTop, clientHeight } = element.current;
    setView({ top: scrollTop, height: clientHeight });
    onTop(scrollTop < ROW);
    if (scrollTop + clientHeight > (rows.length - NEAR_ROWS) * ROW) older();
    if (scrollTop < NEAR_ROWS * ROW) newer();
  };
  // A click that ends the marking of a text opens nothing.
  const click = (row) => {
    setFocus(row);
    if (getSelection().isCollapsed) open(row);
  };
  const key = (event) => {
    const page = Math.floor(view.height / ROW) - 1;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
    if (step) {
      event.preventDefault();
      const { scrollTop, clientHeight } = element.current;
      // From what is seen, where the row that had the focus has gone.
      const now = rows.includes(focus) ? rows.indexOf(focus) : Math.ceil(scrollTop / ROW) - Math.sign(step);
      const next = Math.max(0, Math.min(rows.length - 1, now + step));
      setFocus(rows[next]);
      const at = next * ROW;
      if (at < scrollTop) element.current.scrollTop = at;
      if (at + ROW > scrollTop + clientHeight) element.current.scrollTop = at + ROW - clientHeight;
    }
    if (event.key === "Home") element.current.scrollTop = 0;
    if (event.key === "Enter" && focus) (isLine(focus) ? open : fill)(focus);
  };
  useEffect(() => {
    const at = rows.indexOf(focus) * ROW;
    const { scrollTop, clientHeight } = element.current;
    if (at >= 0 && (at < scrollTop || at + ROW > scrollTop + clientHeight)) element.current.scrollTop = Math.max(0, at - clientHeight / 2);
  }, [focus?.jump]);
  // A page of long lines may be too short to be scrolled: more are read until there is something to scroll.
  useEffect(scroll, [rows]);
  const marked = (row) => ({ id: row === focus ? "focused-line" : undefined, "aria-selected": row === focus });
  const first = Math.max(0, Math.floor(view.top / ROW) - 10);
  const shown = rows.slice(first, first + Math.ceil(view.height / ROW) + 20);
  const seen = rows[Math.min(rows.length - 1, Math.floor(view.top / ROW))];
  const last = rows[Math.min(rows.length - 1, Math.floor((view.top + view.height) / ROW))];
  return html`<div class="lines-by-time"><div class="lines" ref=${element} tabindex="0" role="grid" aria-label="Lines, newest first" aria-rowcount="-1" onScroll=${scroll} onKeyDown=${key} aria-activedescendant=${shown.includes(focus) ? "focused-line" : undefined}>
    <div role="presentation" style=${{ height: `${first * ROW}px` }}></div>
    ${shown.map((row) => row.gap ? html`<div key=${row.id} ...${marked(row)} class=${row === focus ? "line gap focused" : "line gap"} role="row"><span role="gridcell">··· ${row.gap.toLocaleString()} lines skipped here · <button class="quiet" onClick=${() => fill(row)}>load</button> ···</span></div>` : html`<div key=${row.id} ...${marked(row)} class=${row === focus ? "line focused" : "line"} role="row" onClick=${() => click(row)}>
      <span role="gridcell" class="at">${timeOf(row)}</span>
      <span role="gridcell" class=${`level ${groupOf(levelOf(row, shape))}`} title=${levelOf(row, shape)}>${letterOf(levelOf(row, shape))}</span>
      ${columns.map((column) => html`<span role="gridcell" class="column" key=${column}>${text(valueAt(row.source, column))}</span>`)}
      <span role="gridcell" class="message">${messageOf(row, shape)}</span>
    </div>`)}
    <div role="presentation" style=${{ height: `${Math.max(0, rows.length - first - shown.length) * ROW}px` }}></div>
  </div>${rail(seen?.time, last?.time)}</div>`;
}

/** The clock's time, between what a narrow screen has no room for. */
function timeOf({ time }) {
  const [day, clock] = stamp(time).split(" ");
  return html`<span class="day">${`${day} `}</span>${clock.slice(0, 8)}<span class="day">${clock.slice(8)}</span>`;
}

const text = (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));
const levelOf = (row, shape) => (shape.level ? valueAt(row.source, shape.level.name) : undefined);

function messageOf(row, shape) {
  const message = shape.message && valueAt(row.source, shape.message);
  if (message !== undefined) return text(message).slice(0, TEXT_MAX);
  const rest = Object.entries(row.source).filter(([name]) => name !== shape.time && name !== "_id");
  return rest.map(([name, value]) => `${name}=${text(value)}`).join(" ").slice(0, TEXT_MAX);
}
