// What saving a document sends: the paths that changed, on condition that they are as they were.

import { same, typeOf } from "./ejson.js";

const sayable = (name) => name !== "" && !name.includes(".") && !name.startsWith("$");
const isObject = (value) => value !== undefined && typeOf(value) === "object";

/**
 * The command's parts: `{$set, $unset}` and the conditions. Objects are compared field by field, all else whole.
 * @returns {{filter: object, update: object} | null} null where nothing changed
 */
export function changes(before, after) {
  if (!same(before._id, after._id)) throw new Error("_id cannot change: insert another document");
  const [set, unset, conditions] = [{}, {}, []];
  const compare = (old, now, prefix) => {
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const path = prefix + name;
      if (same(old[name], now[name])) continue;
      if (!sayable(name)) throw new Error(`the name '${name}' cannot be said in an update`);
      if (isObject(old[name]) && isObject(now[name])) {
        compare(old[name], now[name], `${path}.`);
        continue;
      }
      conditions.push({ [path]: name in old ? { $eq: old[name] } : { $exists: false } });
      if (name in now) set[path] = now[name];
      else unset[path] = "";
    }
  };
  compare(before, after, "");
  if (!conditions.length) return null;
  const update = {};
  if (Object.keys(set).length) update.$set = set;
  if (Object.keys(unset).length) update.$unset = unset;
  return { filter: { $and: [{ _id: { $eq: before._id } }, ...conditions] }, update };
}
