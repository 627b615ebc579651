// Lines as they come, gathered to ten renderings a second; a tab that nobody sees stops reading after a minute.

import { useEffect, useRef, useState } from "../../lib/html.js";
import { indexName } from "../../lib/http.js";
import { millis, scalar, valueAt } from "../../lib/ejson.js";
import { bytes } from "../../lib/number.js";
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
      // The query says nothing of the range.
      ring.push(...data.lines.map((line) => rowOf(line, shape)).filter(({ time }) => time >= (asked.from ?? -Infinity) && time <= (asked.to ?? Infinity)));
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
function queryText({ q, filters, group }, { level, fields }) {
  const words = (name) => `${level.exact ?? level.name}:(${spellings(name).join(" OR ")})`;
  const levels = !group ? "" : group === "other" ? `NOT (${NAMED.map(words).join(" OR ")})` : words(group);
  const exact = (field) => (fields.find(({ name }) => name === field)?.exact ?? field).replace(/[^\w.@]/g, "\\$&");
  const chips = filters.map(({ field, value, not }) => `${not ? "NOT " : ""}${exact(field)}:${JSON.stringify(String(scalar(value)))}`);
  return [q?.trim() && `(${q})`, levels, ...chips].filter(Boolean).join(" AND ");
}

function rowOf({ _id, document, cut_bytes }, { time, message }) {
  const source = document ? plainDates(document) : { [message ?? "message"]: `${bytes(cut_bytes)}: too long to come live, its document has it` };
  const told = document && valueAt(document, time);
  const at = millis(told) || Date.parse(told) || Date.now();
  return { id: _id, source, time: at, key: document?._id ?? (/^[0-9a-f]{24}$/.test(_id) ? { $oid: _id } : _id) };
}

const plainDates = ({ _id, ...source }) => Object.fromEntries(Object.entries(source).map(([name, value]) => [name, value?.$date ?? value]));
