// Revisions of a document, as CouchDB's protocol has them.

import { ask, parts, send } from "./http.js";
import { members } from "./shell.js";

/** The path of a document; null where its _id is of a type that CouchDB has not. */
export function couchPath(name, id) {
  const [database, collection] = parts(name);
  const text = typeof id === "string" ? id : id?.$oid;
  if (text === undefined) return null;
  const at = database === "default" ? collection : `${database}/${collection}`;
  return { database: `/api/couch/${encodeURIComponent(at)}`, document: `/api/couch/${encodeURIComponent(at)}/${encodeURIComponent(text)}`, id: text };
}

/** The fields of a revision without what CouchDB adds, each as the text that was told: no digit of a long is lost. */
const bodyOf = (text) => new Map([...members(text)].filter(([name]) => !name.startsWith("_") || name === "_attachments"));

async function revision(path, query, signal) {
  const text = await (await send(`${path.document}?${query}`, { signal })).text();
  return { ...JSON.parse(text), body: bodyOf(text) };
}

const byRev = (path, rev, signal) => revision(path, `rev=${encodeURIComponent(rev)}`, signal);

/** The winner first, then those that lost and are not deleted. */
export async function leaves(path, signal) {
  const winner = await revision(path, "conflicts=true", signal);
  return [winner, ...(await Promise.all((winner._conflicts ?? []).map((rev) => byRev(path, rev, signal))))];
}

/** One revision wins with this body, all others are gone; all of it in one request. */
export async function settle(path, [winner, ...losers], body) {
  const told = (fields) => `{${[...fields].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
  const at = (rev) => [["_id", JSON.stringify(path.id)], ["_rev", JSON.stringify(rev)]];
  const docs = [told([...at(winner._rev), ...body]), ...losers.map(({ _rev }) => told([...at(_rev), ["_deleted", true]]))];
  const answers = await ask("POST", `${path.database}/_bulk_docs`, { body: `{"docs":[${docs.join(",")}]}` });
  const refused = answers.find((one) => one.error);
  if (refused) throw new Error(refused.error === "conflict" ? "The document was changed meanwhile: look again." : refused.reason);
}

/** Revisions of the winning branch, the newest first, with those bodies that are still kept. */
export async function history(path, signal) {
  const { _revs_info: all } = await revision(path, "revs_info=true", signal);
  const kept = all.slice(0, 50);
  const bodies = await Promise.all(kept.map(({ rev, status }) => (status === "available" ? byRev(path, rev, signal).then(({ body }) => body, () => null) : null)));
  return { revisions: kept.map(({ rev, status }, at) => ({ rev, status, body: bodies[at] })), more: all.length - kept.length };
}
