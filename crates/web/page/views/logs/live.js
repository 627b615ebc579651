// Lines as they come, gathered to ten renderings a second; a tab that nobody sees stops reading after a minute.

import { useEffect, useRef, useState } from "../../lib/html.js";
import { indexName } from "../../lib/http.js";
import { NAMED, spellings } from "../../lib/level.js";
import { events } from "../../lib/sse.js";
import { ARRIVING_MAX } from "../../limits.js";

const DRAW_MS = 100;
const HIDDEN_MS = 60_000;
const RETRY_MS = 4000;

let gaps = 0;

/**
 * @param {(rows: object[]) => void} take what came, newest first, with rows where lines were left out
 * @param {() => void} begun lines come from now on
 * @returns {{rate: number, error: string | null}} lines a second, and why there are none
 */
export function useLive(isLive, name, asked, shape, take, begun, key) {
  const latest = useRef({ take, begun });
  latest.current = { take, begun };
  const [state, setState] = useState({ rate: 0, error: null });
  useEffect(() => {
    if (!isLive) return setState({ rate: 0, error: null });
    let ring = [];
    let [counted, position] = [0, undefined];
    let abort = null;
    const draw = setInterval(() => {
      if (!ring.length) return;
      latest.current.take(ring.reverse());
      ring = [];
    }, DRAW_MS);
    const skip = (count) => ({ id: `gap-${++gaps}`, gap: count, time: Date.now() });
    const measure = setInterval(() => {
      setState((before) => (before.rate === counted && !counted ? before : { ...before, rate: counted }));
      counted = 0;
    }, 1000);
    const receive = (data) => {
      counted += data.lines.length;
      ring.push(...data.lines.map((line) => rowOf(line, shape)));
      if (ring.length <= ARRIVING_MAX) return;
      const over = ring.splice(0, ring.length - ARRIVING_MAX + 1);
      ring.unshift(skip(over.reduce((sum, row) => sum + (row.gap ?? 1), 0)));
    };
    const follow = async () => {
      abort = new AbortController();
      const { signal } = abort;
      while (!signal.aborted) {
        try {
          const from = { c: indexName(name), q: queryText(asked, shape), ...(position && { since: position }) };
          for await (const { event, data } of events(`/api/tail?${new URLSearchParams(from)}`, signal)) {
            if (event === "open") setState((before) => ({ ...before, error: null }));
            if (event === "open" && !position) latest.current.begun();
            if (event === "gap") ring.push(skip(data.count));
            if (event === "lines") receive(data);
            position = data?.position ?? position;
            if (event === "end") throw new Error(data.reason);
          }
        } catch (error) {
          if (error.name === "AbortError") return;
          setState({ rate: 0, error: error.message });
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    };
    let hiding;
    const onHidden = () => {
      clearTimeout(hiding);
      if (document.hidden) hiding = setTimeout(() => abort.abort(), HIDDEN_MS);
      else if (abort.signal.aborted) follow();
    };
    document.addEventListener("visibilitychange", onHidden);
    follow();
    return () => {
      document.removeEventListener("visibilitychange", onHidden);
      [draw, measure].forEach(clearInterval);
      clearTimeout(hiding);
      abort.abort();
    };
  }, [isLive, name, key]);
  return state;
}

/** Query, chips and levels in Lucene's syntax. */
export function queryText({ q, filters, group }, { level }) {
  const words = (name) => `${level.exact ?? level.name}:(${spellings(name).join(" OR ")})`;
  const levels = !group ? "" : group === "other" ? `NOT (${NAMED.map(words).join(" OR ")})` : words(group);
  const chips = filters.map(({ field, value, not }) => `${not ? "NOT " : ""}${field}:${JSON.stringify(String(value))}`);
  return [q?.trim() && `(${q})`, levels, ...chips].filter(Boolean).join(" AND ");
}

function rowOf({ _id, document = {} }, { time }) {
  const at = timeOf(document[time]);
  return { id: _id, source: plainDates(document), time: at, ...(typeof _id === "string" && { key: document._id ?? (/^[0-9a-f]{24}$/.test(_id) ? { $oid: _id } : _id) }) };
}

const timeOf = (value) => (typeof value === "object" && value ? Date.parse(value.$date) : Date.parse(value)) || Date.now();
const plainDates = (source) => Object.fromEntries(Object.entries(source).map(([name, value]) => [name, value?.$date ?? value]));
