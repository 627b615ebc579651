// What is typed into the console: a command as a document, or a call as MongoDB's shell has it.

import { Reader, ShellError, parseDocument } from "./shell.js";

const one = (n) => ({ $numberInt: String(n) });
const given = (options = {}) => (options && typeof options === "object" ? options : {});
/** The name that MongoDB gives an index of this key. */
export const indexName = (key) => Object.entries(key).map(([field, order]) => `${field}_${order?.$numberInt ?? order}`).join("_");
const update = (collection, q, u, options, multi) => ({ update: collection, updates: [{ q, u, ...(multi && { multi: true }), ...given(options) }] });

/** Calls on a collection, as commands. */
const CALLS = {
  find: (c, filter = {}, projection) => ({ find: c, filter, ...(projection && { projection }) }),
  findOne: (c, filter = {}, projection) => ({ find: c, filter, ...(projection && { projection }), limit: one(1) }),
  aggregate: (c, pipeline = [], options) => ({ aggregate: c, pipeline: Array.isArray(pipeline) ? pipeline : [pipeline], cursor: {}, ...given(options) }),
  countDocuments: (c, query = {}) => ({ count: c, query }),
  count: (c, query = {}) => ({ count: c, query }),
  estimatedDocumentCount: (c) => ({ count: c }),
  distinct: (c, key, query = {}) => ({ distinct: c, key, query }),
  insertOne: (c, document) => ({ insert: c, documents: [document] }),
  insertMany: (c, documents) => ({ insert: c, documents }),
  updateOne: (c, q, u, options) => update(c, q, u, options, false),
  updateMany: (c, q, u, options) => update(c, q, u, options, true),
  replaceOne: (c, q, u, options) => update(c, q, u, options, false),
  deleteOne: (c, q) => ({ delete: c, deletes: [{ q, limit: one(1) }] }),
  deleteMany: (c, q) => ({ delete: c, deletes: [{ q, limit: one(0) }] }),
  createIndex: (c, key, options) => ({ createIndexes: c, indexes: [{ key, name: indexName(key), ...given(options) }] }),
  dropIndex: (c, index) => ({ dropIndexes: c, index }),
  getIndexes: (c) => ({ listIndexes: c }),
  stats: (c) => ({ collStats: c }),
  drop: (c) => ({ drop: c }),
};

/** How much a call has to be told: nobody deletes all documents by forgetting which. */
const NEEDED = { distinct: 1, insertOne: 1, insertMany: 1, updateOne: 2, updateMany: 2, replaceOne: 2, deleteOne: 1, deleteMany: 1, createIndex: 1, dropIndex: 1 };

/** Calls on the database. */
const ON_DATABASE = {
  runCommand: (command) => (typeof command === "string" ? { [command]: one(1) } : command),
  stats: () => ({ dbStats: one(1) }),
  getCollectionNames: () => ({ listCollections: one(1), nameOnly: true }),
  createCollection: (name, options) => ({ create: name, ...given(options) }),
};

/** How a collection is named in a call. */
export const called = (collection) => (/^[\w.$]+$/.test(collection) ? `db.${collection}` : `db.getCollection(${JSON.stringify(collection)})`);

/** What may follow a find, and the member that it sets. */
const AFTER = { sort: "sort", limit: "limit", skip: "skip", projection: "projection", project: "projection", hint: "hint", collation: "collation", maxTimeMS: "maxTimeMS", batchSize: "batchSize", comment: "comment" };

/** @param {string} text @returns {Record<string, unknown>} */
export function commandOf(text) {
  const trimmed = text.trim().replace(/;$/, "");
  if (!/^db\s*\./.test(trimmed)) {
    const command = parseDocument(trimmed);
    if (!Object.keys(command).length) throw new ShellError("a command is expected: { find: \"zips\" } or db.zips.find()", text, 0);
    return command;
  }
  const { names, calls } = chain(trimmed);
  const [method, given] = calls[0] ?? [];
  if (!method) throw new ShellError("a call is expected: db.zips.find()", text, trimmed.length);
  if (!names.length) return commandBy(ON_DATABASE, method, given, text);
  const needed = Object.hasOwn(NEEDED, method) ? NEEDED[method] : 0;
  if (given.length < needed) throw new ShellError(`${method}() needs ${needed === 1 ? "an argument" : `${needed} arguments`}; as a filter, {} is all documents`, text, 0);
  const command = commandBy(CALLS, method, [names.join("."), ...given], text);
  for (const [name, [value]] of calls.slice(1)) {
    if (["toArray", "pretty"].includes(name)) continue;
    if (!command.find || !AFTER[name]) throw new ShellError(`${name}() is not known after ${method}()`, text, 0);
    command[AFTER[name]] = value;
  }
  return command;
}

function commandBy(table, method, given, text) {
  if (!Object.hasOwn(table, method)) throw new ShellError(`${method}() is not known here; known are ${Object.keys(table).join(", ")}, and every command as a document`, text, 0);
  return table[method](...given);
}

/** `db.a.b.find({}).sort({})` as names and calls. */
function chain(text) {
  const reader = new Reader(text);
  reader.take(/db/y);
  const [names, calls] = [[], []];
  for (reader.blanks(); reader.at < text.length; reader.blanks()) {
    const [, name] = reader.take(/\.\s*([\w$-]+)/y) ?? reader.fail("'.' and a name are expected");
    reader.blanks();
    if (text[reader.at] !== "(") {
      names.push(name);
      continue;
    }
    const given = reader.list("(", ")");
    if (name === "getCollection" && !calls.length) names.push(String(given[0]));
    else calls.push([name, given]);
  }
  return { names, calls };
}

/** The collection of a command, where it has one. */
export function collectionOf(command) {
  const [first] = Object.values(command);
  return typeof first === "string" ? first : undefined;
}

/** What `explain` can be asked of. */
export const EXPLAINED = ["find", "aggregate", "count", "distinct", "update", "delete", "findAndModify"];
