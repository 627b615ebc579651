// The window of lines that is kept: read both ways from its edges, never more than its limit; live lines on top of it.

import { useLayoutEffect, useRef, useState } from "../../lib/html.js";
import { LINES_MAX, LINES_PAGE, TRIM_BYTES } from "../../limits.js";
import { filterFor, findLines } from "./find.js";
import { lines, queryFor } from "./search.js";

/** Lines of what is asked: by find where that can say it, else by a search. */
export function read(name, asked, shape, options, signal) {
  const filter = filterFor(asked, shape);
  const all = { size: LINES_PAGE, trim: TRIM_BYTES, ...options };
  return filter ? findLines(name, filter, shape, all, signal) : lines(name, queryFor(asked, shape), shape, all, signal);
}

/** Each row that the list has to scroll to has another number. */
let jumps = 0;

/** Lines of a gap that are loaded at once. */
const FILL_MAX = LINES_MAX / 2;
const NOTHING = { count: 0 };
/** Above all rows, however many there are. */
const TOP = -1e6;
const EMPTY = { rows: [], shift: TOP, loading: true, error: null, hasOlder: true, hasNewer: false };

/** @param {{time: number, key?: unknown} | undefined} at the row around which the window begins */
export function useWindow(name, asked, shape, key, at) {
  const [page, setPage] = useState(EMPTY);
  const [arriving, setArriving] = useState(NOTHING);
  const [focus, setFocus] = useState(null);
  const isOnTop = useRef(true);
  const busy = useRef(false);
  /** Ends with what is asked: answers to what was asked before are nobody's. */
  const scope = useRef(null);
  const going = useRef(null);
  /** Lines that come while the newest are read, which may not have them yet. */
  const fresh = useRef(null);

  const failed = (signal) => (error) => signal.aborted || setPage((before) => ({ ...before, loading: false, error }));
  /** Leads the window elsewhere. Only the last place that was asked for counts. */
  const lead = (work) => {
    going.current?.abort();
    const { signal } = (going.current = new AbortController());
    return work(signal).catch(failed(signal));
  };
  const around = async (row, signal) => {
    const half = LINES_PAGE / 2;
    // Older ones from the row itself on.
    const [before, after] = await Promise.all([read(name, asked, shape, { after: row, newer: true, size: half, known: [row] }, signal), read(name, asked, shape, { after: row, size: half }, signal)]);
    const seen = new Set();
    return [...before, ...after].filter(({ id }) => !seen.has(id) && seen.add(id));
  };
  const show = (rows, target) => {
    setPage({ ...EMPTY, rows, shift: target ? 0 : TOP, loading: false, hasNewer: Boolean(target), hasOlder: rows.length > 0 });
    if (!target) return;
    const row = rows.find(({ id }) => id === target.id) ?? rows.find(({ time }) => time <= target.time) ?? rows.at(-1);
    if (row) setFocus(Object.assign(row, { jump: ++jumps }));
  };

  useLayoutEffect(() => {
    const abort = (scope.current = new AbortController());
    busy.current = false;
    setPage((before) => ({ ...before, loading: true, error: null }));
    setArriving(NOTHING);
    lead(async (signal) => show(await (at ? around(at, signal) : read(name, asked, shape, {}, signal)), at));
    return () => {
      abort.abort();
      going.current.abort();
    };
  }, [name, key]);

  const more = async (newer) => {
    const edge = newer ? page.rows.find(isLine) : page.rows.findLast(isLine);
    if (busy.current || !edge || !(newer ? page.hasNewer : page.hasOlder)) return;
    busy.current = true;
    const { signal } = scope.current;
    const found = read(name, asked, shape, { after: edge, newer, known: page.rows }, signal);
    await found.then((rows) => setPage((before) => (before.rows.includes(edge) ? grown(before, rows, newer) : before)), failed(signal));
    if (!signal.aborted) busy.current = false;
  };

  /** Rows that came by themselves; nothing moves under who reads or marks a text. */
  const arrive = (rows) => {
    fresh.current?.unshift(...rows);
    if (isOnTop.current && !page.hasNewer && !isMarking()) {
      setArriving((before) => (before.count ? NOTHING : before));
      return setPage((before) => {
        const all = [...rows, ...before.rows];
        return { ...before, rows: all.slice(0, LINES_MAX), shift: 0, hasOlder: before.hasOlder || all.length > LINES_MAX };
      });
    }
    setArriving((before) => ({ count: before.count + rows.reduce((sum, row) => sum + (row.gap ?? 1), 0) }));
  };

  const toTop = () => {
    setArriving(NOTHING);
    isOnTop.current = true;
    getSelection().removeAllRanges();
    const came = (fresh.current = []);
    return lead(async (signal) => {
      const rows = await read(name, asked, shape, {}, signal);
      const known = new Set(rows.map(({ id }) => id));
      show([...came.filter(({ id }) => !known.has(id)), ...rows].slice(0, LINES_MAX));
    }).finally(() => {
      if (fresh.current === came) fresh.current = null;
    });
  };

  /** What came between the first reading and the beginning of live lines. */
  const catchUp = () => isOnTop.current && !isMarking() && !at && toTop();

  /** Reads lines that were left out: those below the next line above, until they meet what is there. */
  const fill = (gap) => {
    const place = page.rows.indexOf(gap);
    const above = page.rows.slice(0, place).findLast(isLine);
    const size = Math.min(gap.gap + 1, FILL_MAX);
    const { signal } = scope.current;
    const found = read(name, asked, shape, { size, ...(above && { after: above, known: page.rows }) }, signal);
    return found.then((rows) => setPage((before) => ({ ...before, rows: filled(before.rows, gap, rows, size), shift: 0, error: null })), failed(signal));
  };

  /** The lines around a time. */
  const toTime = (time) => lead(async (signal) => {
    const until = Math.min(asked.to ?? Infinity, Math.ceil(time));
    const [row] = await read(name, { ...asked, to: until }, shape, { size: 1 }, signal);
    if (row) show(await around(row, signal), row);
  });

  // Among lines of another level there is none.
  const nextError = (newer) => shape.level && (asked.group ?? "error") === "error" && lead(async (signal) => {
    const from = focus && isLine(focus) ? focus : page.rows.find(isLine);
    const [found] = await read(name, { ...asked, group: "error" }, shape, { after: from, newer, size: 1, known: passed(page.rows, from, newer) }, signal);
    if (!found) return;
    const near = page.rows.find((row) => row.id === found.id);
    if (near) setFocus(Object.assign(near, { jump: ++jumps }));
    else show(await around(found, signal), found);
  });

  return { page, arriving, focus, setFocus, isOnTop, more, arrive, toTop, toTime, nextError, fill, catchUp };
}

export const isLine = (row) => !row.gap;

/** The rows from one on, against the direction in which another is looked for. */
function passed(rows, from, newer) {
  const at = rows.indexOf(from);
  if (at < 0) return from ? [from] : [];
  return newer ? rows.slice(at) : rows.slice(0, at + 1);
}

/** Whether a text among the lines is marked. */
function isMarking() {
  const marked = getSelection();
  return !marked.isCollapsed && Boolean(marked.anchorNode?.parentElement?.closest(".lines"));
}

/** The rows with those found in the place of a gap, which stays for what is still missing. */
function filled(rows, gap, found, size) {
  const place = rows.indexOf(gap);
  if (place < 0) return rows;
  const known = new Set(rows.map(({ id }) => id));
  const end = found.findIndex(({ id }) => known.has(id));
  const missing = end < 0 ? found : found.slice(0, end);
  const left = gap.gap - missing.length;
  const isMet = end >= 0 || found.length < size || left <= 0;
  return [...rows.slice(0, place), ...missing, ...(isMet ? [] : [{ ...gap, gap: left }]), ...rows.slice(place + 1)].slice(0, LINES_MAX);
}

/** The window with what was found at one of its edges; what is too much goes from the other. */
function grown(before, found, newer) {
  if (newer) {
    const rows = [...found, ...before.rows];
    return { ...before, error: null, rows: rows.slice(0, LINES_MAX), shift: found.length, hasNewer: found.length > 0, hasOlder: before.hasOlder || rows.length > LINES_MAX };
  }
  const all = [...before.rows, ...found];
  const dropped = Math.max(0, all.length - LINES_MAX);
  return { ...before, error: null, rows: all.slice(dropped), shift: -dropped, hasOlder: found.length > 0, hasNewer: before.hasNewer || dropped > 0 };
}
