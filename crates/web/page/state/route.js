// Where one is: `#/docs/default.zips?filter=…`. The fragment never reaches a server.

import { signal } from "./signal.js";

/** What is typed by hand may have a % that means nothing. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const segments = path.split("/").filter(Boolean).map(decoded);
  return { view: segments[0] ?? "start", segments, params: Object.fromEntries(new URLSearchParams(query)) };
}

export const route = signal(read());

/** Who would lose something by going elsewhere. */
export const unsaved = new Set();

addEventListener("hashchange", ({ oldURL }) => {
  const next = read();
  const isElsewhere = link(next.segments) !== link(route.value.segments);
  if (isElsewhere && unsaved.size && !confirm("What is not saved or done here will be lost. Leave?")) return history.pushState(null, "", oldURL);
  route.value = next;
});

/** The last address of each collection, by which one comes back to its documents as they were left. */
const places = new Map();
const note = () => route.value.segments.length === 2 && places.set(link(route.value.segments), location.hash);
route.follow(note);
note();

/** @param {string[]} segments */
export const listOf = (segments) => places.get(link(segments)) ?? link(segments);

/** An address. @param {string[]} segments @param {Record<string, unknown>} [params] */
export function link(segments, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== "" && value !== null && value !== false);
  const query = new URLSearchParams(given.map(([name, value]) => [name, value === true ? "1" : String(value)]));
  return `#/${segments.map(encodeURIComponent).join("/")}${given.length ? `?${query}` : ""}`;
}

/** Goes somewhere: a step that Back undoes. */
export function go(segments, params) {
  const to = link(segments, params);
  if (to !== location.hash) location.hash = to;
}

/** Says more exactly where one is, without a step. */
export function refine(params) {
  const now = route.value;
  history.replaceState(null, "", link(now.segments, { ...now.params, ...params }));
  route.value = read();
}
