// What a text index of Mango holds of a document, as an index function: each value by its path and type, and the names of all these
// fields. `DEFINITION` stands for what the index says of itself. CouchDB's own is src/mango/src/mango_native_proc.erl.
function (document) {
  "use strict";

  const { fields, hasDefault, hasLengths } = DEFINITION;
  const escaped = new Map();

  // Letters and digits as they are, all other bytes in hexadecimal digits.
  function escape(part) {
    let found = escaped.get(part);
    if (found === undefined) {
      found = "";
      for (const byte of unescape(encodeURIComponent(part))) {
        found += /[A-Za-z0-9]/.test(byte) ? byte : "_" + byte.charCodeAt(0).toString(16).padStart(2, "0");
      }
      escaped.set(part, found);
    }
    return found;
  }

  // The parts of a path as an index names it: dots that do not part have a backslash in front.
  function parts(name) {
    return name.split(/(?<!\\)\./).map((part) => part.replace(/\\/g, ""));
  }

  const nameOf = (path, type) => path.map(escape).join(".") + "_3a" + type;
  const types = ["number", "boolean"];
  const wanted = fields && new Set(fields.map(({ name, type }) => nameOf(parts(String(name)), types.includes(type) ? type : "string")));
  const names = new Set();

  function say(name, value) {
    names.add(name);
    index(name, value);
  }

  function sayField(path, type, value) {
    const name = nameOf(path, type);
    if (wanted && !wanted.has(name)) return;
    say(name, value);
    if (type === "string" && hasDefault) index("$default", value);
  }

  function walk(value, path) {
    if (Array.isArray(value)) {
      const inner = [...path, "[]"];
      if (hasLengths) say(nameOf(inner, "length"), value.length);
      value.forEach((element) => walk(element, inner));
    } else if (value === null) {
      sayField(path, "null", true);
    } else if (typeof value === "object") {
      Object.keys(value).forEach((key) => walk(value[key], [...path, key]));
    } else {
      sayField(path, typeof value, value);
    }
  }

  if (String(document._id).startsWith("_design/")) return;
  walk(document, []);
  names.forEach((name) => index("$fieldnames", name));
}
