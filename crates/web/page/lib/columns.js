// Which columns documents have as a table.

import { COLUMNS_MAX, PAGE } from "../limits.js";
import { own, typeOf } from "./ejson.js";

/** The names of the first fields of the documents, the commonest first. */
export function columnsOf(documents) {
  const seen = new Map();
  for (const document of documents) Object.keys(document).forEach((name, at) => seen.set(name, (seen.get(name) ?? 0) + 1 - at / 1000));
  return [...seen].sort((a, b) => b[1] - a[1]).slice(0, COLUMNS_MAX).map(([name]) => name);
}

/** The types of a field among the first documents. */
export function typesOf(documents, column) {
  const values = documents.slice(0, PAGE).map((one) => own(one, column)).filter((value) => value !== undefined);
  const types = new Set(values.map((value) => value?.$cut?.type ?? typeOf(value)));
  return [...types].slice(0, 3).join(" | ");
}

/** Whether a column's values stand at its right edge, as numbers do. @param {string} types */
export const isNumeric = (types) => types !== "" && types.split(" | ").every((type) => ["int", "long", "double", "decimal"].includes(type));
