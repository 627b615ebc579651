// Lines as they come, gathered to ten renderings a second; a tab that nobody sees stops reading after a minute.

import { useEffect, useRef, useState } from "../../lib/html.js";
import { indexName } from "../../lib/http.js";
import { events } from "../../lib/sse.js";
import { ARRIVING_MAX } from "../../limits.js";

const DRAW_MS = 100;
const HIDDEN_MS = 60_000;
const RETRY_MS = 4000;

/** @returns {{rate: number, error: string | null}} lines a second, and why there are none */
export function useLive(isLive, name, asked, shape, take, key) {
  const latest = useRef(take);
  latest.current = take;
  const [state, setState] = useState({ rate: 0, error: null });
  useEffect(() => {
    if (!isLive) return setState({ rate: 0, error: null });
    let ring = [];
    let [skipped, counted] = [0, 0];
    let abort = null;
    const draw = setInterval(() => {
      if (!ring.length && !skipped) return;
      latest.current(ring.reverse(), skipped);
      [ring, skipped] = [[], 0];
    }, DRAW_MS);
    const measure = setInterval(() => {
      setState((before) => (before.rate === counted && !counted ? before : { ...before, rate: counted }));
      counted = 0;
    }, 1000);
    const take = (data) => {
      counted += data.lines.length;
      ring.push(...data.lines.map((line) => rowOf(line, shape)));
      if (ring.length > ARRIVING_MAX) skipped += ring.splice(0, ring.length - ARRIVING_MAX).length;
    };
    const follow = async () => {
      abort = new AbortController();
      const { signal } = abort;
      while (!signal.aborted) {
        try {
          for await (const { event, data } of events(`/api/tail?${new URLSearchParams({ c: indexName(name), q: queryText(asked) })}`, signal)) {
            if (event === "open") setState((before) => ({ ...before, error: null }));
            if (event === "gap") skipped += data.count ?? 0;
            if (event === "lines") take(data);
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

/** Query and chips in Lucene's syntax. */
export function queryText({ q, filters }) {
  const chips = filters.map(({ field, value, not }) => `${not ? "NOT " : ""}${field}:${JSON.stringify(String(value))}`);
  return [q?.trim() && `(${q})`, ...chips].filter(Boolean).join(" AND ");
}

function rowOf({ _id, _seq_no, document = {} }, { time }) {
  const at = timeOf(document[time]);
  return { id: _id, source: plainDates(document), time: at, sort: [at, _seq_no], ...(typeof _id === "string" && { key: document._id ?? (/^[0-9a-f]{24}$/.test(_id) ? { $oid: _id } : _id) }) };
}

const timeOf = (value) => (typeof value === "object" && value ? Date.parse(value.$date) : Date.parse(value)) || Date.now();
const plainDates = (source) => Object.fromEntries(Object.entries(source).map(([name, value]) => [name, value?.$date ?? value]));
