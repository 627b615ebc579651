// Asking the server. Whatever is asked can be copied as a curl command by anybody.

import { lost } from "../state/session.js";

/** A refusal or a failure, in the server's words. */
export class Refusal extends Error {
  /** @param {string} message @param {number} status @param {object} [body] */
  constructor(message, status, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, signal?: AbortSignal, type?: string}} [options]
 */
export async function ask(method, path, { body, signal, type = "application/json" } = {}) {
  const headers = body === undefined ? {} : { "Content-Type": type };
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  let response;
  try {
    response = await fetch(path, { method, headers, body: text, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The server does not answer.", 0);
  }
  const answer = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) {
    if (response.status === 401 && path !== "/api/session") lost();
    throw new Refusal(reasonOf(answer) ?? `HTTP status ${response.status}`, response.status, answer);
  }
  return answer;
}

const reasonOf = (answer) => answer?.errmsg ?? answer?.reason ?? answer?.error?.reason ?? answer?.error?.root_cause?.[0]?.reason;

export const get = (path, signal) => ask("GET", path, { signal });

/** One of MongoDB's commands. Failed writes within a reply are failures too. */
export async function command(database, body, { trim, signal } = {}) {
  const reply = await ask("POST", commandPath(database, trim), { body, signal });
  const failed = reply.writeErrors?.[0];
  if (failed) throw new Refusal(failed.errmsg, 400, reply);
  return reply;
}

export const commandPath = (database, trim) => `/api/command/${encodeURIComponent(database)}${trim ? `?trim=${trim}` : ""}`;

/** A request of Elasticsearch's protocol. */
export const elastic = (path, body, signal) => ask(body === undefined ? "GET" : "POST", `/api/elastic${path}`, { body, signal });

/** `db.collection` in its two parts. */
export function parts(name) {
  const dot = name.indexOf(".");
  return [name.slice(0, dot), name.slice(dot + 1)];
}

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
