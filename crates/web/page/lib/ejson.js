// BSON values as the page keeps them: canonical Extended JSON, so that no type is lost on the way.
// People read and write them with the shell's literals: ObjectId("…"), ISODate("…"), NumberLong("…"), unquoted names.

import { bytes } from "./number.js";

/** The name of a value's BSON type. @returns {string} */
export function typeOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "double";
  const [first] = Object.keys(value);
  return (first?.startsWith("$") && TYPES[first]) || "object";
}

const TYPES = {
  $oid: "objectId", $date: "date", $numberInt: "int", $numberLong: "long", $numberDouble: "double",
  $numberDecimal: "decimal", $binary: "binData", $regularExpression: "regex", $timestamp: "timestamp",
  $code: "javascript", $symbol: "symbol", $minKey: "minKey", $maxKey: "maxKey", $undefined: "undefined",
  $dbPointer: "dbPointer", $cut: "cut",
};

/** The types that a field's editor offers. */
export const EDITABLE = ["string", "int", "long", "double", "decimal", "bool", "null", "date", "objectId", "binData", "regex", "timestamp", "javascript", "array", "object", "minKey", "maxKey"];

/** Milliseconds since 1970 of a date. */
export function millis(value) {
  const date = value?.$date;
  if (date === undefined) return NaN;
  return typeof date === "string" ? Date.parse(date) : Number(date.$numberLong ?? date);
}

/** A number of any type; NaN for all else. */
export function number(value) {
  if (typeof value === "number") return value;
  if (value === null || typeof value !== "object") return NaN;
  const text = value.$numberInt ?? value.$numberLong ?? value.$numberDouble ?? value.$numberDecimal;
  return text === undefined ? NaN : Number(text);
}

export const date = (ms) => ({ $date: { $numberLong: String(ms) } });

/** A value without its wrapper, for looking at. */
export function plain(value) {
  const type = typeOf(value);
  if (["int", "long", "double", "decimal"].includes(type)) return number(value);
  if (type === "date") return millis(value);
  if (type === "objectId") return value.$oid;
  return value;
}

/** A value that is no document, as a query has it: also a long that JavaScript has no number for. */
export const scalar = (value) => value?.$numberLong ?? value;

/** Whether two values are the same, types included. */
export const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** A field of a document, which also has what all objects inherit. */
export const own = (document, name) => (Object.hasOwn(document, name) ? document[name] : undefined);

/** The value of a field, whose name may have dots, or be a path. */
export const valueAt = (document, name) => own(document, name) ?? name.split(".").reduce((value, part) => (value && typeof value === "object" ? own(value, part) : undefined), document);

/** The text of a value with the shell's literals; indented where `indent` is given. */
export function print(value, indent = "", within = "") {
  switch (typeOf(value)) {
    case "string": return JSON.stringify(value);
    case "bool": case "null": return String(value);
    case "int": return String(number(value));
    case "double": return double(value.$numberDouble ?? value);
    case "long": return `NumberLong("${value.$numberLong}")`;
    case "decimal": return `NumberDecimal("${value.$numberDecimal}")`;
    case "objectId": return `ObjectId("${value.$oid}")`;
    case "date": return isoDate(value);
    case "binData": return binary(value.$binary);
    case "regex": return regex(value.$regularExpression);
    case "timestamp": return `Timestamp(${value.$timestamp.t}, ${value.$timestamp.i})`;
    case "minKey": return "MinKey()";
    case "maxKey": return "MaxKey()";
    case "undefined": return "undefined";
    case "symbol": return `Symbol(${JSON.stringify(value.$symbol)})`;
    case "javascript": return value.$scope ? `Code(${JSON.stringify(value.$code)}, ${print(value.$scope)})` : `Code(${JSON.stringify(value.$code)})`;
    case "array": return block(value.map((item) => [null, item]), "[", "]", indent, within);
    case "object": return block(Object.entries(value), "{", "}", indent, within);
    default: return JSON.stringify(value);
  }
}

function block(entries, open, close, indent, within) {
  if (!entries.length) return open + close;
  const inner = within + indent;
  const texts = entries.map(([name, value]) => (name === null ? "" : `${key(name)}: `) + print(value, indent, inner));
  if (!indent) return `${open}${open === "{" ? " " : ""}${texts.join(", ")}${open === "{" ? " " : ""}${close}`;
  return `${open}\n${texts.map((text) => inner + text).join(",\n")}\n${within}${close}`;
}

const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const double = (text) => (/^-?\d+$/.test(String(text)) ? `${text}.0` : String(text));

function isoDate(value) {
  const ms = millis(value);
  const held = Math.abs(ms) <= 8.64e15;
  return held ? `ISODate("${new Date(ms).toISOString()}")` : `{ $date: ${JSON.stringify(value.$date)} }`;
}

function binary({ base64, subType }) {
  if (subType === "04" && base64.length === 24) {
    const hex = [...atob(base64)].map((c) => c.charCodeAt(0).toString(16).padStart(2, "0")).join("");
    return `UUID("${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}")`;
  }
  return `BinData(${parseInt(subType, 16)}, "${base64}")`;
}

function regex({ pattern, options }) {
  const plainText = !/[\/\n\\]/.test(pattern) && pattern !== "";
  return plainText ? `/${pattern}/${options}` : `RegExp(${JSON.stringify(pattern)}, ${JSON.stringify(options)})`;
}

/** As much of a value as a short text could show. */
function head(value, most) {
  const type = typeOf(value);
  if (type === "array") return value.slice(0, most).map((one) => head(one, most));
  if (type === "object") return Object.fromEntries(Object.entries(value).slice(0, most).map(([name, one]) => [name, head(one, most)]));
  return type === "string" ? value.slice(0, most) : value;
}

/** A short text of a value, for a cell of a table. */
export function brief(value, most = 120) {
  const type = typeOf(value);
  // How long it is comes first, because a cell shows no more than the beginning.
  if (type === "cut") return `${bytes(number(value.$cut.bytes))} ${value.$cut.type}: ${value.$cut.head.slice(0, most)}…`;
  const text = type === "string" ? value : ["long", "decimal"].includes(type) ? Object.values(value)[0] : type === "objectId" ? value.$oid : type === "date" ? print(value).slice(9, -2) : print(head(value, most));
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Whether a document has names that JavaScript would reorder, so that it cannot be written back whole. */
export function hasIndexNames(value) {
  if (value === null || typeof value !== "object") return false;
  if (Array.isArray(value)) return value.some(hasIndexNames);
  return Object.entries(value).some(([name, inner]) => /^(0|[1-9]\d*)$/.test(name) || hasIndexNames(inner));
}
