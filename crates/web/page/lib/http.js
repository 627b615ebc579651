// Asking the server. Whatever is asked can be copied as a curl command by anybody.

import { refresh } from "../state/session.js";

/** A refusal or a failure, in the server's words. */
export class Refusal extends Error {
  /** @param {string} message @param {number} status 0 where nothing was answered @param {object} [body] */
  constructor(message, status, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** What is cut off by the network is told like what never came; what was given up by the page itself stays that. */
const come = (asked) => asked.catch((error) => {
  if (error.name === "AbortError") throw error;
  refresh();
  throw new Refusal("The server does not answer.", 0);
});

/** A response that is good; all else is told in the server's words. */
export async function send(path, options) {
  const response = await come(fetch(path, options));
  if (response.ok) return response;
  const answer = await response.json().catch(() => null);
  // It may be that one is not signed in any more: CouchDB's protocol says the same of what one may not do.
  if (response.status === 401 && path !== "/api/session") refresh();
  throw new Refusal(reasonOf(answer) ?? `HTTP status ${response.status}`, response.status, answer);
}

const reasonOf = (answer) => answer?.errmsg ?? answer?.reason ?? answer?.error?.root_cause?.[0]?.reason ?? answer?.error?.reason;

/** Whole numbers that JavaScript cannot hold stay as they were told, as Extended JSON has them. */
const exact = (_, value, told) => (typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(told?.source) ? { $numberLong: told.source } : value);
const hasLong = (text) => /[:[,]\s*-?\d{16}/.test(text);

/**
 * The answer, parsed where it is JSON; null where it is empty.
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, signal?: AbortSignal, type?: string}} [options]
 */
export async function ask(method, path, { body, signal, type = "application/json" } = {}) {
  const sent = body !== undefined && { headers: { "Content-Type": type }, body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await send(path, { method, signal, ...sent });
  const text = await come(response.text());
  if (text === "" || !response.headers.get("Content-Type")?.includes("json")) return text || null;
  return JSON.parse(text, hasLong(text) ? exact : undefined);
}

export const get = (path, signal) => ask("GET", path, { signal });

/** One of MongoDB's commands. Failed writes within a reply are failures too. */
export async function command(database, body, { trim, signal } = {}) {
  const reply = await ask("POST", commandPath(database, trim), { body, signal });
  const failed = reply.writeErrors?.[0];
  if (failed) throw new Refusal(failed.errmsg, 400, reply);
  return reply;
}

export const commandPath = (database, trim) => `/api/command/${encodeURIComponent(database)}${trim ? `?trim=${trim}` : ""}`;

/** All documents of a reply's cursor, up to so many. What is behind them is let go of, also where one leaves meanwhile. */
export async function drained(database, { cursor }, { most = Infinity, ...options } = {}) {
  const documents = [...(cursor.firstBatch ?? cursor.nextBatch)];
  const collection = cursor.ns.slice(cursor.ns.indexOf(".") + 1);
  let { id } = cursor;
  const isOpen = () => String(id?.$numberLong ?? 0) !== "0";
  try {
    while (isOpen() && documents.length < most) {
      const more = await command(database, { getMore: id, collection }, options);
      documents.push(...more.cursor.nextBatch);
      id = more.cursor.id;
    }
  } finally {
    if (isOpen()) command(database, { killCursors: collection, cursors: [id] }).catch(() => {});
  }
  return { documents, hasMore: isOpen() };
}

/** A request of Elasticsearch's protocol. */
export const elastic = (path, body, signal) => ask(body === undefined ? "GET" : "POST", `/api/elastic${path}`, { body, signal });

/** `db.collection` in its two parts; a name without a dot is one of the database `default`. */
export function parts(name) {
  const dot = name.indexOf(".");
  return dot < 0 ? ["default", name] : [name.slice(0, dot), name.slice(dot + 1)];
}

/** A name with its database, also where an address leaves that out. */
export const whole = (name) => parts(name).join(".");

/** The name under which Elasticsearch's protocol knows a collection. */
export const indexName = (name) => (name.startsWith("default.") ? name.slice("default.".length) : name);

/** A path of Elasticsearch's protocol below a collection. */
export const indexPath = (name, rest) => `/${encodeURIComponent(indexName(name))}${rest}`;

/** The same request as a command to copy. */
export function curl(method, path, body, user) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const as = user ? ` -u ${quoted(user)}` : "";
  const sent = body === undefined ? "" : ` -H 'Content-Type: application/json' -d ${quoted(typeof body === "string" ? body : JSON.stringify(body))}`;
  return `curl${as} -X ${method} ${quoted(location.origin + path)}${sent}`;
}

/** Waits, unless the signal ends it. */
export const pause = (ms, signal) => new Promise((resolve, reject) => {
  const stop = () => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", stop);
    resolve();
  }, ms);
  signal.addEventListener("abort", stop);
});
