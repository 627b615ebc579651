// What people keep under a name: searches, queries, boards. Documents like any others, in the database `larder`.

import { number } from "../lib/ejson.js";
import { command } from "../lib/http.js";
import { parsed } from "../lib/stored.js";

/** All that is kept in a collection, by name. @param {"searches"|"queries"|"boards"} collection */
export async function saved(collection, signal) {
  const { cursor } = await command("larder", { find: collection, sort: { _id: 1 }, limit: 500, singleBatch: true }, { signal });
  // Any client may have written it, so its form is checked.
  return cursor.firstBatch.map((one) => ({ params: {}, ...parsed(one.content, {}), name: String(one._id), version: number(one.version) || 0 }));
}

/** Somebody else has kept something under this name meanwhile. */
export class Taken extends Error {}

/**
 * Keeps it; where `version` is given, only if nobody has changed it since, and without it only if the name is new.
 * @returns {Promise<number>} its version
 */
export async function keep(collection, name, content, version) {
  const at = { $date: { $numberLong: String(Date.now()) } };
  const text = JSON.stringify(content);
  if (version === undefined) {
    try {
      await command("larder", { insert: collection, documents: [{ _id: name, version: 1, content: text, at }] });
      return 1;
    } catch (error) {
      if (error.body?.writeErrors?.[0]) throw new Taken(`There is already one named ${name}.`);
      throw error;
    }
  }
  const reply = await command("larder", { update: collection, updates: [{ q: { _id: name, version }, u: { $set: { version: version + 1, content: text, at } } }] });
  if (number(reply.n) !== 1) throw new Taken(`${name} was changed elsewhere.`);
  return version + 1;
}

export const forget = (collection, name) => command("larder", { delete: collection, deletes: [{ q: { _id: name }, limit: 1 }] });
