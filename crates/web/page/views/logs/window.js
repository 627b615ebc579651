// The window of lines that is kept: read both ways from its edges, never more than its limit; live lines on top of it.

import { useEffect, useRef, useState } from "../../lib/html.js";
import { ARRIVING_MAX, LINES_MAX, LINES_PAGE, TRIM_BYTES } from "../../limits.js";
import { filterFor, findLines } from "./find.js";
import { lines, queryFor } from "./search.js";

/** Lines of what is asked: by find where that can say it, else by a search. */
export function read(name, asked, shape, options, signal) {
  const filter = filterFor(asked, shape);
  const size = options.size ?? LINES_PAGE;
  if (filter) return findLines(name, filter, shape, { ...options, size, trim: TRIM_BYTES }, signal);
  return lines(name, queryFor(asked, shape), shape, { ...options, size }, signal);
}

/** Each row that the list has to scroll to has another number. */
let jumps = 0;

const EMPTY = { rows: [], shift: 0, loading: true, error: null, hasOlder: true, hasNewer: false };

/** @param {{time: number, sort?: unknown[], key?: unknown} | undefined} at the row around which the window begins */
export function useWindow(name, asked, shape, key, at) {
  const [page, setPage] = useState(EMPTY);
  const [arriving, setArriving] = useState({ rows: [], skipped: 0 });
  const [focus, setFocus] = useState(null);
  const isOnTop = useRef(true);
  const busy = useRef(false);
  const going = useRef(null);

  const around = async (row, signal) => {
    const half = LINES_PAGE / 2;
    // Older ones from the row itself on: what sorts just before it is what comes after one more.
    const from = { ...row, sort: [row.time, typeof row.sort?.[1] === "number" ? row.sort[1] + 1 : Number.MAX_SAFE_INTEGER] };
    const [before, after] = await Promise.all([read(name, asked, shape, { after: row, newer: true, size: half, known: [row] }, signal), read(name, asked, shape, { after: from, size: half }, signal)]);
    const seen = new Set();
    return [...before, ...after].filter(({ id }) => !seen.has(id) && seen.add(id));
  };
  const show = (rows, target) => {
    setPage({ ...EMPTY, rows, loading: false, hasNewer: Boolean(target), hasOlder: rows.length > 0 });
    if (!target) return;
    const row = rows.find(({ id }) => id === target.id) ?? rows.find(({ time }) => time <= target.time) ?? rows.at(-1);
    if (row) setFocus(Object.assign(row, { jump: ++jumps }));
  };

  useEffect(() => {
    const abort = new AbortController();
    setPage((before) => ({ ...before, loading: true, error: null }));
    setArriving({ rows: [], skipped: 0 });
    const loading = at ? around(at, abort.signal) : read(name, asked, shape, {}, abort.signal);
    loading.then((rows) => show(rows, at), (error) => error.name !== "AbortError" && setPage((before) => ({ ...before, loading: false, error })));
    return () => abort.abort();
  }, [name, key]);

  const more = async (newer) => {
    const edge = newer ? page.rows[0] : page.rows.at(-1);
    if (busy.current || !edge || !(newer ? page.hasNewer : page.hasOlder)) return;
    busy.current = true;
    try {
      const found = await read(name, asked, shape, { after: edge, newer, known: page.rows });
      setPage((before) => (before.rows.includes(edge) ? grown(before, found, newer) : before));
    } catch (error) {
      setPage((before) => ({ ...before, error }));
    }
    busy.current = false;
  };

  const arrive = (rows, skipped) => {
    if (isOnTop.current && !page.hasNewer) {
      const gap = skipped ? [{ id: `gap-${rows[0]?.id ?? Date.now()}`, gap: skipped, time: rows.at(-1)?.time ?? Date.now() }] : [];
      return setPage((before) => ({ ...before, rows: [...rows, ...gap, ...before.rows].slice(0, LINES_MAX), shift: 0, hasOlder: true }));
    }
    setArriving((before) => ({ rows: [...rows, ...before.rows].slice(0, ARRIVING_MAX), skipped: before.skipped + rows.length + skipped }));
  };

  const toTop = async () => {
    setArriving({ rows: [], skipped: 0 });
    isOnTop.current = true;
    const rows = await read(name, asked, shape, {});
    setPage((before) => ({ ...before, rows, shift: -1e6, hasNewer: false, hasOlder: true }));
  };

  /** The lines from a time on, older ones below. Only the last one that was asked for counts. */
  const toTime = async (time) => {
    going.current?.abort();
    going.current = new AbortController();
    const until = Math.min(asked.to ?? Infinity, Math.ceil(time));
    try {
      const rows = await read(name, { ...asked, to: until }, shape, {}, going.current.signal);
      if (rows.length) show(rows, rows[0]);
    } catch (error) {
      if (error.name !== "AbortError") setPage((before) => ({ ...before, error }));
    }
  };

  const nextError = async (newer) => {
    if (!shape.level) return;
    const from = focus ?? page.rows[0];
    const [found] = await read(name, { ...asked, group: "error" }, shape, { after: from, newer, size: 1, known: from ? [from] : [] });
    if (!found) return;
    const near = page.rows.find((row) => row.id === found.id);
    if (near) setFocus(Object.assign(near, { jump: ++jumps }));
    else show(await around(found), found);
  };

  return { page, arriving, focus, setFocus, isOnTop, more, arrive, toTop, toTime, nextError };
}

/** The window with what was found at one of its edges; what is too much goes from the other. */
function grown(before, found, newer) {
  if (newer) {
    const rows = [...found, ...before.rows];
    return { ...before, rows: rows.slice(0, LINES_MAX), shift: found.length, hasNewer: found.length > 0, hasOlder: before.hasOlder || rows.length > LINES_MAX };
  }
  const all = [...before.rows, ...found];
  const dropped = Math.max(0, all.length - LINES_MAX);
  return { ...before, rows: all.slice(dropped), shift: -dropped, hasOlder: found.length > 0, hasNewer: before.hasNewer || dropped > 0 };
}
