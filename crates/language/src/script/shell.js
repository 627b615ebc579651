// What functions find around them on MongoDB's server: the types of BSON, and the helpers that its documentation names.
//
// The value of this script is a function of what the host does for it. Its answer is what the host calls: constructors of
// values by the names of their types, what a value is, and compiling a source.
(host) => {
  "use strict";
  const { getPrototypeOf, defineProperty, keys } = Object;
  const objectPrototype = Object.prototype;

  function install(target, values) {
    for (const name of keys(values)) {
      defineProperty(target, name, { value: values[name], writable: true, configurable: true, enumerable: false });
    }
  }

  // Types. Each has a constructor that works without `new`, and its prototype is what a value is recognized by.
  const kinds = new Map();

  function type(name, kind, construct, parts, methods) {
    const holder = { [name]: function (...values) {
      const made = new.target ? this : Object.create(constructor.prototype);
      construct(made, ...values);
      return made;
    } };
    const constructor = holder[name];
    install(constructor.prototype, methods);
    kinds.set(constructor.prototype, [kind, parts]);
    install(globalThis, { [name]: constructor });
    return constructor;
  }

  function part(made, name, value) {
    defineProperty(made, name, { value, enumerable: false });
  }

  function longOf(value) {
    if (typeof value === "string" || typeof value === "bigint") return BigInt.asIntN(64, BigInt(value));
    if (value instanceof NumberLong) return value.exact;
    const number = Math.trunc(Number(value === undefined ? 0 : value));
    return Number.isFinite(number) ? BigInt.asIntN(64, BigInt(number)) : 0n;
  }

  const NumberLong = type("NumberLong", "long", (made, value) => part(made, "exact", longOf(value)),
    (value) => [String(value.exact)], {
      valueOf() { return Number(this.exact); },
      toNumber() { return Number(this.exact); },
      toString() {
        const text = String(this.exact);
        return Number.isSafeInteger(Number(this.exact)) ? `NumberLong(${text})` : `NumberLong("${text}")`;
      },
      toJSON() { return { $numberLong: String(this.exact) }; },
      compare(other) {
        const exact = longOf(other);
        return this.exact < exact ? -1 : this.exact > exact ? 1 : 0;
      },
    });
  const NumberInt = type("NumberInt", "int", (made, value) => part(made, "exact", Number(value) | 0),
    (value) => [value.exact], {
      valueOf() { return this.exact; },
      toNumber() { return this.exact; },
      toString() { return `NumberInt(${this.exact})`; },
      toJSON() { return this.exact; },
    });
  const NumberDecimal = type("NumberDecimal", "decimal", (made, value) => part(made, "text", String(value === undefined ? 0 : value)),
    (value) => [value.text], {
      toString() { return `NumberDecimal("${this.text}")`; },
      toJSON() { return { $numberDecimal: this.text }; },
    });
  const ObjectId = type("ObjectId", "objectId", (made, text) => {
    const digits = text === undefined ? host.newObjectId() : String(text.str || text);
    if (!/^[0-9a-fA-F]{24}$/.test(digits)) throw new Error("invalid object id: length");
    defineProperty(made, "str", { value: digits.toLowerCase(), enumerable: false });
  }, (value) => [value.str], {
    valueOf() { return this; },
    toString() { return `ObjectId("${this.str}")`; },
    toJSON() { return { $oid: this.str }; },
    getTimestamp() { return new Date(parseInt(this.str.slice(0, 8), 16) * 1000); },
    equals(other) { return other instanceof ObjectId && other.str === this.str; },
  });
  install(globalThis, { ObjectID: ObjectId });
  const Timestamp = type("Timestamp", "timestamp", (made, seconds, increment) => {
    made.t = Number(seconds === undefined ? 0 : seconds);
    made.i = Number(increment === undefined ? 0 : increment);
  }, (value) => [value.t >>> 0, value.i >>> 0], {
    toString() { return `Timestamp(${this.t}, ${this.i})`; },
    getTime() { return this.t; },
    getInc() { return this.i; },
    toJSON() { return { $timestamp: { t: this.t, i: this.i } }; },
  });
  const BinData = type("BinData", "binData", (made, subtype, base64) => {
    part(made, "subtype", Number(subtype) & 255);
    part(made, "data", String(base64));
  }, (value) => [value.subtype, value.data], {
    toString() { return `BinData(${this.subtype},"${this.data}")`; },
    base64() { return this.data; },
    length() { return Math.floor((this.data.replace(/=/g, "").length * 3) / 4); },
    hex() { return host.base64ToHex(this.data); },
    toJSON() { return { $binary: this.data, $type: this.subtype.toString(16).padStart(2, "0") }; },
  });
  const DBPointer = type("DBPointer", "dbPointer", (made, ns, id) => {
    made.ns = String(ns);
    made.id = id;
  }, (value) => [value.ns, String(value.id.str)], {
    toString() { return `DBPointer("${this.ns}", ${this.id})`; },
  });
  const DBRef = function (collection, id, database) {
    const reference = { $ref: collection, $id: id };
    if (database !== undefined) reference.$db = database;
    return reference;
  };
  const Code = type("Code", "javascript", (made, code, scope) => {
    part(made, "code", String(code));
    part(made, "scope", scope);
  }, (value) => [value.code, value.scope], {
    toString() { return `Code(${quoted(this.code)})`; },
  });
  const single = (name, kind) => type(name, kind, () => {}, () => [], {
    toString() { return `{ "$${name[0].toLowerCase()}${name.slice(1)}" : 1 }`; },
    toJSON() { return { [`$${name[0].toLowerCase()}${name.slice(1)}`]: 1 }; },
  });
  const minKey = single("MinKey", "minKey")();
  const maxKey = single("MaxKey", "maxKey")();

  function ISODate(text) {
    if (text === undefined) return new Date();
    const date = new Date(/^\d{4}-?\d\d-?\d\d$/.test(text) || /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
    if (Number.isNaN(date.getTime())) throw new Error(`invalid ISO date: ${text}`);
    return date;
  }
  const UUID = (text) => BinData(4, host.hexToBase64(String(text).replace(/-/g, "")));
  const HexData = (subtype, digits) => BinData(subtype, host.hexToBase64(String(digits)));
  const MD5 = (digits) => BinData(5, host.hexToBase64(String(digits)));

  // Values as text.
  const quoted = (text) => JSON.stringify(text);

  function shown(value, space, depth) {
    if (value === null || value === undefined) return String(value);
    if (typeof value === "string") return quoted(value);
    if (typeof value !== "object") return String(value);
    if (depth > 100) throw new Error("too deeply nested");
    if (value instanceof Date) {
      return Number.isNaN(value.getTime()) ? 'new Date("Invalid Date")' : `ISODate(${quoted(value.toISOString())})`;
    }
    if (value instanceof RegExp || kinds.has(getPrototypeOf(value))) return value.toString();
    const [line, end] = space === null ? [" ", " "] : [`\n${space}\t`, `\n${space}`];
    const inner = space === null ? null : `${space}\t`;
    const isArray = Array.isArray(value);
    const parts = isArray
      ? value.map((element) => shown(element, inner, depth + 1))
      : keys(value).map((name) => `${quoted(name)} : ${shown(value[name], inner, depth + 1)}`);
    const [open, close] = isArray ? "[]" : "{}";
    if (parts.length === 0) return isArray ? "[ ]" : "{ }";
    return open + line + parts.join(`,${line}`) + end + close;
  }
  const tojson = (value, indent, nolint) => shown(value, nolint ? null : indent || "", 0);
  const tojsononeline = (value) => shown(value, null, 0);

  // What is printed has nowhere to go.
  const print = () => {};

  function doassert(message) {
    throw new Error(typeof message === "function" ? message() : message);
  }
  function assert(holds, message) {
    if (!holds) doassert(message || "assert failed");
  }

  install(globalThis, {
    DBRef, ISODate, UUID, HexData, MD5, tojson, tojsononeline, print, printjson: print, printjsononeline: print,
    assert, doassert, tojsonObject: tojson,
    gc() {},
    sleep: (milliseconds) => host.sleep(Number(milliseconds) || 0),
    hex_md5: (text) => host.hexMd5(String(text)),
    isNumber: (value) => typeof value === "number",
    isString: (value) => typeof value === "string",
    isObject: (value) => typeof value === "object" && value !== null,
  });
  install(Array, {
    contains: (array, wanted) => array.some((value) => value === wanted),
    unique: (array) => [...new Set(array)],
    sum: (array) => (array.length === 0 ? null : array.reduce((total, value) => total + value)),
    avg: (array) => (array.length === 0 ? null : Array.sum(array) / array.length),
    stdDev(array) {
      const mean = Array.avg(array);
      return Math.sqrt(Array.avg(array.map((value) => (value - mean) ** 2)));
    },
    tojson: (array) => tojson(array),
  });
  install(Object, {
    extend: (target, source) => Object.assign(target, source),
    merge: (left, right) => ({ ...left, ...right }),
    keySet: (object) => keys(object),
  });
  install(Number.prototype, { toNumber() { return Number(this); } });

  // Sources: a function, an expression, or the body of a function. A body without `return` gives its last statement's value.
  const isFunction = /^\s*(?:\/\*[\s\S]*?\*\/\s*|\/\/[^\n]*\n\s*)*(?:function\b|async\b|\([^()]*\)\s*=>|[\w$]+\s*=>)/;

  // Made apart from this script, whose strictness would be that of what it evaluates.
  const evaluate = new Function("source", "return eval(source);");

  function compile(source) {
    const trimmed = source.replace(/[;\s]+$/, "");
    if (isFunction.test(trimmed)) return (0, eval)(`(${trimmed}\n)`);
    try {
      return new Function(`return (${trimmed}\n)`);
    } catch (error) {
      const body = new Function(source);
      return /\breturn\b/.test(source) ? body : function () { return evaluate.call(this, source); };
    }
  }

  // The most that may wait of what a function emits, as in MongoDB.
  let emitted = null;
  install(globalThis, {
    emit(key, value) {
      if (emitted === null) throw new Error("emit: called outside of a map function");
      if (arguments.length !== 2) throw new Error("emit takes 2 args");
      emitted.push({ k: key === undefined ? null : key, v: value });
    },
  });

  return {
    long: (text) => NumberLong(text),
    decimal: (text) => NumberDecimal(text),
    objectId: (text) => ObjectId(text),
    timestamp: (seconds, increment) => Timestamp(seconds, increment),
    binData: (subtype, base64) => BinData(subtype, base64),
    dbPointer: (ns, id) => DBPointer(ns, ObjectId(id)),
    code: (code, scope) => Code(code, scope),
    minKey: () => minKey,
    maxKey: () => maxKey,
    date: (milliseconds) => new Date(milliseconds),
    regex: (pattern, options) => new RegExp(pattern, options),
    // What an object is: nothing where it is a plain one, else the kind and its parts.
    describe(value) {
      if (typeof value === "function") return ["javascript", String(value), undefined];
      const prototype = getPrototypeOf(value);
      if (prototype === objectPrototype) return undefined;
      const known = kinds.get(prototype);
      if (known !== undefined) return [known[0], ...known[1](value)];
      if (value instanceof Date) return ["date", value.getTime()];
      if (value instanceof RegExp) return ["regex", value.source, value.flags];
      return undefined;
    },
    compile,
    define(name, value) {
      install(globalThis, { [name]: value });
    },
    call: (compiled, self, values) => compiled.apply(self, values),
    // What a map function emits for its document.
    emits(compiled, self) {
      emitted = [];
      try {
        compiled.call(self);
        return emitted;
      } finally {
        emitted = null;
      }
    },
  };
}
