// The fields of a document, each with its type. A value is edited as text and keeps its type unless another is chosen.

import { html, useState } from "../../lib/html.js";
import { EDITABLE, brief, millis, number, print, typeOf } from "../../lib/ejson.js";
import { parse } from "../../lib/shell.js";

const FIELDS_MAX = 500;

export function Fields({ document, change }) {
  const names = Object.keys(document);
  const [name, setName] = useState("");
  const put = (field, value) => change({ ...document, [field]: value });
  const remove = (field) => change(Object.fromEntries(Object.entries(document).filter(([known]) => known !== field)));
  const add = (event) => {
    event.preventDefault();
    if (name && !Object.hasOwn(document, name)) put(name, "");
    setName("");
  };
  return html`<div class="scroll"><table class="rows fields">
    <thead><tr><th>Field</th><th>Value</th><th>Type</th><th><span class="hidden">Deeds</span></th></tr></thead>
    <tbody>${names.slice(0, FIELDS_MAX).map((field) => html`<${Field} key=${field} name=${field} value=${document[field]} put=${change && field !== "_id" ? (value) => put(field, value) : undefined} remove=${change && field !== "_id" ? () => remove(field) : undefined} />`)}</tbody>
  </table></div>
  ${names.length > FIELDS_MAX && html`<p class="muted">${names.length - FIELDS_MAX} more fields: see JSON.</p>`}
  ${change && html`<form class="row" onSubmit=${add}><input aria-label="Name of a new field" placeholder="new field" value=${name} onInput=${(event) => setName(event.target.value)} /><button>Add</button></form>`}`;
}

function Field({ name, value, put, remove }) {
  const type = typeOf(value);
  return html`<tr>
    <th scope="row" class="mono">${name}</th>
    <td>${put ? html`<${Editor} name=${name} value=${value} type=${type} put=${put} key=${type} />` : html`<span class=${`t-${type}`}>${brief(value, 400)}</span>`}</td>
    <td>${put ? html`<select aria-label=${`Type of ${name}`} value=${type} onChange=${(event) => put(convert(value, event.target.value))}>${[...new Set([...EDITABLE, type])].map((one) => html`<option key=${one}>${one}</option>`)}</select>` : html`<span class="muted">${type}</span>`}</td>
    <td>${remove && html`<button class="quiet icon" aria-label=${`Remove ${name}`} onClick=${remove}>✕</button>`}</td>
  </tr>`;
}

function Editor({ name, value, type, put }) {
  const [wrong, setWrong] = useState("");
  const [text, setText] = useState(null);
  if (type === "bool") return html`<select aria-label=${`Value of ${name}`} value=${String(value)} onChange=${(event) => put(event.target.value === "true")}><option>true</option><option>false</option></select>`;
  if (["null", "minKey", "maxKey", "undefined"].includes(type)) return html`<span class="muted">${type}</span>`;
  const shown = text ?? textOf(value, type);
  const edit = (event) => {
    const given = event.target.value;
    setText(given);
    let why = "";
    try {
      put(valueOf(given, type));
    } catch (error) {
      why = error.message;
    }
    setWrong(why);
    // What is not a value yet keeps the document from being saved as it was before.
    event.target.setCustomValidity(why);
  };
  const long = shown.length > 60 || shown.includes("\n");
  const common = { class: "mono", "aria-label": `Value of ${name}`, "aria-invalid": Boolean(wrong), spellcheck: false, value: shown, onInput: edit, onBlur: () => !wrong && setText(null) };
  return html`${long ? html`<textarea ...${common} rows=${Math.min(12, shown.split("\n").length + 1)}></textarea>` : html`<input ...${common} />`}${wrong && html`<p class="error" role="alert">${wrong}</p>`}`;
}

const RAW = { int: "$numberInt", long: "$numberLong", double: "$numberDouble", decimal: "$numberDecimal", objectId: "$oid", javascript: "$code", symbol: "$symbol" };

function textOf(value, type) {
  if (type === "string") return value;
  if (type === "date") return Number.isNaN(millis(value)) || Math.abs(millis(value)) > 8.64e15 ? print(value) : new Date(millis(value)).toISOString();
  if (type === "int" || type === "double") return String(value[RAW[type]] ?? value);
  if (RAW[type] && !value.$scope) return value[RAW[type]];
  return print(value, "  ");
}

/** The value that a text means in a type; throws where it means none. */
function valueOf(text, type) {
  const form = { int: /^-?\d+$/, long: /^-?\d+$/, double: /^(-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|-?Infinity|NaN)$/, decimal: /^(-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|-?Infinity|NaN)$/, objectId: /^[0-9a-f]{24}$/i }[type];
  if (form && !form.test(text.trim())) throw new Error(`'${text}' is not a value of type ${type}`);
  if (type === "int" && (BigInt(text) < -(2n ** 31n) || BigInt(text) >= 2n ** 31n)) throw new Error("an int has 32 bits; choose long");
  if (type === "long" && (BigInt(text) < -(2n ** 63n) || BigInt(text) >= 2n ** 63n)) throw new Error("a long has 64 bits; choose decimal");
  if (type === "string") return text;
  if (type === "date" && !text.includes("(")) return parse(`ISODate(${JSON.stringify(text.trim())})`);
  if (type === "javascript" && !text.startsWith("Code(")) return { $code: text };
  if (RAW[type]) return { [RAW[type]]: text.trim() };
  const value = parse(text);
  if (typeOf(value) !== type) throw new Error(`this is a value of type ${typeOf(value)}, not ${type}`);
  return value;
}

/** The nearest value of another type. */
function convert(value, type) {
  const n = number(value);
  // As it is told, because a number of JavaScript has fewer digits than a long or a decimal.
  const text = typeOf(value) === "string" ? value : Number.isNaN(n) ? "" : String(value === n ? n : Object.values(value)[0]);
  const whole = (bits) => String(BigInt.asIntN(bits, /^-?\d+$/.test(text) ? BigInt(text) : BigInt(Math.trunc(Number.isFinite(Number(text)) ? Number(text) : 0))));
  const fresh = { string: () => textOf(value, typeOf(value)), int: () => ({ $numberInt: whole(32) }), long: () => ({ $numberLong: whole(64) }), double: () => ({ $numberDouble: String(Number(text) || 0) }), decimal: () => ({ $numberDecimal: Number.isNaN(Number(text)) || !text.trim() ? "0" : text.trim() }), bool: () => text === "true" || n > 0, null: () => null, date: () => ({ $date: { $numberLong: Number.isFinite(n) ? whole(64) : String(Date.parse(text) || Date.now()) } }), objectId: () => ({ $oid: /^[0-9a-f]{24}$/i.test(text) ? text : "0".repeat(24) }), binData: () => ({ $binary: { base64: btoa(String.fromCharCode(...new TextEncoder().encode(text))), subType: "00" } }), regex: () => ({ $regularExpression: { pattern: text || ".", options: "" } }), timestamp: () => ({ $timestamp: { t: Math.trunc(Date.now() / 1000), i: 1 } }), javascript: () => ({ $code: text }), array: () => [value], object: () => ({ value }), minKey: () => ({ $minKey: 1 }), maxKey: () => ({ $maxKey: 1 }) };
  return (fresh[type] ?? (() => value))();
}
