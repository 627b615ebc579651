// Files on their way into collections: what one is, its records as Extended JSON, sent batch by batch.

import { BATCH, DETECT_BYTES } from "../limits.js";
import { number } from "./ejson.js";
import { ask, command, commandPath, parts, pause } from "./http.js";
import { dateText, infer } from "./infer.js";
import { formatOf, taken } from "./logformats.js";
import { elements, lines, rows } from "./lines.js";

const BATCH_BYTES = 4 << 20;
const REJECTS_MAX = 10_000;
/** What has no answer, waits for a sign-in, or is refused because the server is busy, is sent again. */
const AGAIN = [0, 401, 429, 503];
const AGAIN_MS = 2000;
const DUPLICATE = 11000;

/** The text of a file, unpacked if it is packed, chunk by chunk. @param {Blob} file */
async function* text(file, tell = () => {}) {
  const packed = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  let stream = file.stream().pipeThrough(new TransformStream({ transform: (chunk, out) => { tell(chunk.byteLength); out.enqueue(chunk); } }));
  if (packed[0] === 0x1f && packed[1] === 0x8b) stream = stream.pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function beginning(file) {
  let begun = "";
  try {
    for await (const chunk of text(file)) {
      begun += chunk;
      if (begun.length >= DETECT_BYTES) break;
    }
  } catch {
    // What is packed may end in the middle: what came is enough.
  }
  return begun.slice(0, DETECT_BYTES);
}

const stem = (name) => name.replace(/^.*\//, "").split(".")[0].replace(/[^\w-]+/g, "_") || "file";

/**
 * What a file is, and where it would go.
 * @param {File} file
 */
export async function detect(file, target) {
  const begun = await beginning(file);
  const whole = begun.split("\n").map((line) => line.replace(/\r$/, "")).filter(Boolean);
  if (whole.length > 1 && begun.length >= DETECT_BYTES) whole.pop();
  const plan = { file, stem: stem(file.name), isTicked: true, sample: [], ...kindOf(file.name, begun, whole) };
  plan.target = target ?? (plan.kind === "log" ? "default.logs" : plan.kind === "readings" ? "default.readings" : `default.${plan.stem.toLowerCase()}`);
  try {
    for await (const { json } of records(plan, new Blob([plan.kind === "array" ? begun : whole.slice(0, 6).join("\n")]))) {
      if (json && plan.sample.length < 5) plan.sample.push(JSON.parse(json));
    }
  } catch {
    // The beginning of a file may end in the middle of a record.
  }
  return plan;
}

function kindOf(name, begun, whole) {
  const plain = name.toLowerCase().replace(/\.gz$/, "");
  const first = begun.trimStart()[0];
  if (first === "[" && /^\[\s*[{\]]/.test(begun.trimStart())) return { kind: "array", level: 2, says: "JSON array" };
  // Those of several lines are told from one a line by a first line that is no whole one.
  if (first === "{") return checked(whole[0]).json ? { kind: "ndjson", says: "JSON, one a line" } : { kind: "array", level: 1, says: "JSON objects" };
  const isTable = /\.(csv|tsv)$/.test(plain);
  // Rows of readings begin with times as well.
  const format = whole.length && !isTable ? formatOf(whole.slice(0, 50)) : undefined;
  if (format) return { kind: "log", format, says: `log: ${format.name}${format.assumes ? `, ${format.assumes} assumed` : ""}`, time: "time" };
  const delimiter = plain.endsWith(".tsv") ? "\t" : [",", ";", "\t"].find((one) => whole[0]?.includes(one));
  if (isTable || (delimiter && !/\.(log|txt)$/.test(plain))) return table(whole, delimiter ?? ",");
  return { kind: "lines", says: "text, one line a document" };
}

function table(whole, delimiter) {
  const names = (whole[0] ?? "").split(delimiter).map((name) => name.replace(/^"|"$/g, "").trim());
  const values = (whole[1] ?? "").split(delimiter).map((value) => infer(value.replace(/^"|"$/g, "")));
  const time = names.find((_, at) => values[at]?.startsWith('{"$date"'));
  const isSeries = time && names.length <= 3 && names.some((_, at) => /^-?\d|^\{"\$numberDouble/.test(values[at] ?? ""));
  return { kind: isSeries ? "readings" : "csv", delimiter, time, says: `CSV: ${names.length} columns${time ? `, time is ${time}` : ""}` };
}

/**
 * The records of a file as texts of Extended JSON, or what is wrong with a part of it.
 * @returns {AsyncGenerator<{json?: string, hasId?: boolean, bad?: string, reason?: string}>}
 */
async function* records(plan, blob, tell) {
  const chunks = text(blob, tell);
  if (plan.kind === "array") {
    for await (const element of elements(chunks, plan.level)) yield checked(element);
  } else if (plan.kind === "ndjson") {
    for await (const line of lines(chunks)) if (line.trim()) yield checked(line);
  } else if (plan.kind === "log") {
    yield* logRecords(plan, lines(chunks));
  } else if (plan.kind === "lines") {
    for await (const line of lines(chunks)) if (line) yield { json: `{"line":${JSON.stringify(line)}}` };
  } else {
    yield* tableRecords(plan, rows(chunks, plan.delimiter));
  }
}

function checked(json) {
  try {
    const value = JSON.parse(json);
    return value && typeof value === "object" && !Array.isArray(value) ? { json, hasId: Object.hasOwn(value, "_id") } : { bad: json, reason: "not a document" };
  } catch (error) {
    return { bad: json, reason: error.message };
  }
}

/** A line that is not of the format goes on with the message before it: traces have many lines. */
async function* logRecords(plan, source) {
  let pending = null;
  for await (const line of source) {
    const record = taken(plan.format, line);
    if (!record) {
      if (pending) pending.message += `\n${line}`;
      else if (line) yield { bad: line, reason: `not a line of ${plan.format.name}` };
      continue;
    }
    if (pending) yield { json: logJson(pending, plan) };
    pending = record;
  }
  if (pending) yield { json: logJson(pending, plan) };
}

function logJson({ time, ...rest }, plan) {
  return `{"time":${dateText(time)},${JSON.stringify({ file: plan.stem, ...rest }).slice(1)}`;
}

async function* tableRecords(plan, source) {
  let [names, extra] = [null, ""];
  for await (const cells of source) {
    if (!names) {
      names = cells.map((cell) => cell.replace(/^\ufeff/, "").trim());
      if (plan.kind === "readings" && !names.includes("device")) extra = `"device":${JSON.stringify(plan.stem)},`;
      continue;
    }
    if (cells.length !== names.length) {
      yield { bad: cells.join(plan.delimiter), reason: `${cells.length} fields, not ${names.length}` };
      continue;
    }
    const fields = cells.map((cell, at) => [names[at], infer(cell.trim())]).filter(([, value]) => value !== null);
    const given = new Set();
    const twice = fields.find(([name]) => given.size === given.add(name).size);
    if (twice) {
      yield { bad: cells.join(plan.delimiter), reason: `two columns named '${twice[0]}' have values` };
      continue;
    }
    const own = fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
    yield { json: `{${own ? extra : extra.slice(0, -1)}${own}}`, hasId: given.has("_id") };
  }
}

/**
 * Imports one file; tells of its progress after each batch.
 * @param {(progress: {bytes: number, imported: number, rejected: number}) => void} tell
 */
export async function send(plan, tell, signal) {
  const [database, collection] = parts(plan.target);
  const done = { bytes: 0, imported: 0, rejected: 0, rejects: [] };
  const reject = (reason, given) => {
    done.rejected++;
    if (done.rejects.length < REJECTS_MAX) done.rejects.push({ file: plan.file.name, reason, text: given });
  };
  let [batch, size] = [[], 0];
  const id = idsOf();
  const flush = async () => {
    if (!batch.length) return;
    const sent = batch;
    [batch, size] = [[], 0];
    const failures = await insert(database, collection, sent, signal);
    done.imported += sent.length - failures.length;
    failures.forEach(({ index, errmsg }) => reject(errmsg, sent[index]));
    tell({ ...done });
  };
  for await (const { json, hasId, bad, reason } of records(plan, plan.file, (bytes) => (done.bytes += bytes))) {
    if (json === undefined) {
      reject(reason, bad);
      continue;
    }
    batch.push(hasId ? json : `{"_id":{"$oid":"${id()}"}${/^\s*\{\s*\}/.test(json) ? "" : ","}${json.trim().slice(1)}`);
    size += json.length;
    if (batch.length >= BATCH || size >= BATCH_BYTES) await flush();
  }
  await flush();
  done.bytes = plan.file.size;
  tell({ ...done });
  return done;
}

/** ObjectIds that grow, made here: what is sent again after a cut is not there twice. */
function idsOf() {
  const hex = (n) => n.toString(16).padStart(8, "0");
  const begun = hex(Math.floor(Date.now() / 1000)) + hex(crypto.getRandomValues(new Uint32Array(1))[0]);
  let n = 0;
  return () => begun + hex(n++);
}

/** Inserts texts as they stand; gives the failures by their place. */
async function insert(database, collection, texts, signal) {
  const body = `{"insert":${JSON.stringify(collection)},"ordered":false,"documents":[${texts.join(",")}]}`;
  for (let isAgain = false; ; isAgain = true) {
    try {
      const { writeErrors = [] } = await ask("POST", commandPath(database), { body, signal });
      const failures = writeErrors.map(({ index, code, errmsg }) => ({ index: number(index), code: number(code), errmsg }));
      return failures.filter(({ code }) => !isAgain || code !== DUPLICATE);
    } catch (error) {
      if (!AGAIN.includes(error.status)) throw error;
      await pause(AGAIN_MS, signal);
    }
  }
}

/** An index by time, so that the newest are found without reading all. */
export async function prepare(plan) {
  if (!plan.time) return;
  const [database, collection] = parts(plan.target);
  await command(database, { createIndexes: collection, indexes: [{ key: { [plan.time]: 1 }, name: `${plan.time}_1` }] });
}
