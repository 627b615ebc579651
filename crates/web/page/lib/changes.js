// What saving a document sends: the paths that changed, on condition that they are as they were.

import { own, same, typeOf } from "./ejson.js";

const sayable = (name) => name !== "" && !name.includes(".") && !name.startsWith("$");
const isObject = (value) => value !== undefined && typeOf(value) === "object";

/**
 * The command's parts: `{$set, $unset}` and the conditions. Objects are compared field by field, all else whole.
 * @returns {{filter: object, update: object} | null} null where nothing changed
 */
export function changes(before, after) {
  if (!same(before._id, after._id)) throw new Error("_id cannot change: insert another document");
  const [set, unset, conditions] = [[], [], []];
  const compare = (old, now, prefix) => {
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const path = prefix + name;
      const [was, is] = [own(old, name), own(now, name)];
      if (same(was, is)) continue;
      if (!sayable(name)) throw new Error(`the name '${name}' cannot be said in an update`);
      if (isObject(was) && isObject(is)) {
        compare(was, is, `${path}.`);
        continue;
      }
      conditions.push({ [path]: was === undefined ? { $exists: false } : { $eq: was } });
      if (is === undefined) unset.push([path, ""]);
      else set.push([path, is]);
    }
  };
  compare(before, after, "");
  if (!conditions.length) return null;
  const update = {};
  if (set.length) update.$set = Object.fromEntries(set);
  if (unset.length) update.$unset = Object.fromEntries(unset);
  return { filter: { $and: [{ _id: { $eq: before._id } }, ...conditions] }, update };
}
