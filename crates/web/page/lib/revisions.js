// Revisions of a document, as CouchDB's protocol has them.

import { ask, get, parts } from "./http.js";

/** The path of a document; null where its _id is of a type that CouchDB has not. */
export function couchPath(name, id) {
  const [database, collection] = parts(name);
  const text = typeof id === "string" ? id : id?.$oid;
  if (text === undefined) return null;
  const at = database === "default" ? collection : `${database}/${collection}`;
  return { database: `/api/couch/${encodeURIComponent(at)}`, document: `/api/couch/${encodeURIComponent(at)}/${encodeURIComponent(text)}`, id: text };
}

const isHidden = (name) => name.startsWith("_") && name !== "_attachments";

/** A revision without what CouchDB adds. */
export const bodyOf = (revision) => Object.fromEntries(Object.entries(revision).filter(([name]) => !isHidden(name)));

/** The winner first, then those that lost and are not deleted. */
export async function leaves(path, signal) {
  const winner = await get(`${path.document}?conflicts=true`, signal);
  const losers = await Promise.all((winner._conflicts ?? []).map((rev) => get(`${path.document}?rev=${encodeURIComponent(rev)}`, signal)));
  return [winner, ...losers];
}

/** One revision wins with this body, all others are gone; all of it in one request. */
export async function settle(path, [winner, ...losers], body) {
  const docs = [{ ...body, _id: path.id, _rev: winner._rev }, ...losers.map(({ _rev }) => ({ _id: path.id, _rev, _deleted: true }))];
  const answers = await ask("POST", `${path.database}/_bulk_docs`, { body: { docs } });
  const refused = answers.find((one) => one.error);
  if (refused) throw new Error(refused.error === "conflict" ? "The document was changed meanwhile: look again." : refused.reason);
}

/** Revisions of the winning branch, the newest first, with those bodies that are still kept. */
export async function history(path, signal) {
  const { _revs_info: all } = await get(`${path.document}?revs_info=true`, signal);
  const kept = all.slice(0, 50);
  const bodies = await Promise.all(kept.map(({ rev, status }) => (status === "available" ? get(`${path.document}?rev=${encodeURIComponent(rev)}`, signal).then(bodyOf, () => null) : null)));
  return { revisions: kept.map(({ rev, status }, at) => ({ rev, status, body: bodies[at] })), more: all.length - kept.length };
}

/** What changed from one body to the next: `[field, before, after]`. */
export function differences(before = {}, after = {}) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).map((name) => [name, before[name], after[name]]);
}
