// Reads what people type: JSON, with the shell's literals, unquoted names, single quotes, comments and trailing commas.

/** A mistake, and where it stands. */
export class ShellError extends Error {
  constructor(message, text, at) {
    const before = text.slice(0, at).split("\n");
    super(`line ${before.length}, column ${before.at(-1).length + 1}: ${message}`);
    this.at = at;
  }
}

/** The value of a text as canonical Extended JSON. @param {string} text */
export function parse(text) {
  const reader = new Reader(text);
  const value = reader.value();
  reader.blanks();
  if (reader.at < text.length) reader.fail("nothing more is expected here");
  return value;
}

/** The document of a text; an empty text is an empty document. */
export function parseDocument(text) {
  if (!text.trim()) return {};
  const value = parse(text);
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new ShellError("a document is expected: { … }", text, 0);
  return value;
}

/** The fields of a JSON object as they stand in its text. @returns {Map<string, string>} */
export function members(text) {
  const reader = new Reader(text);
  const found = new Map();
  reader.blanks();
  reader.object((name, from) => found.set(name, text.slice(from, reader.at).trim()));
  return found;
}

const WORDS = {
  true: true, false: false, null: null, undefined: { $undefined: true },
  NaN: { $numberDouble: "NaN" }, Infinity: { $numberDouble: "Infinity" },
  MinKey: { $minKey: 1 }, MaxKey: { $maxKey: 1 },
};

/** What letters behind a backslash stand for, in single quotation marks. */
const ESCAPES = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v" };

const LITERALS = {
  ObjectId: (id) => ({ $oid: checked(id, /^[0-9a-f]{24}$/i, "24 hexadecimal digits") }),
  ISODate: isoDate,
  Date: isoDate,
  NumberInt: (n) => ({ $numberInt: checked(n, /^-?\d+$/, "an integer") }),
  Int32: (n) => ({ $numberInt: checked(n, /^-?\d+$/, "an integer") }),
  NumberLong: (n) => ({ $numberLong: checked(n, /^-?\d+$/, "an integer") }),
  Long: (n) => ({ $numberLong: checked(n, /^-?\d+$/, "an integer") }),
  Double: (n) => ({ $numberDouble: asText(n) }),
  NumberDecimal: (n) => ({ $numberDecimal: asText(n) }),
  Decimal128: (n) => ({ $numberDecimal: asText(n) }),
  UUID: uuid,
  BinData: (subtype, base64) => ({ $binary: { base64, subType: Number(asText(subtype)).toString(16).padStart(2, "0") } }),
  Timestamp: (t, i) => ({ $timestamp: { t: Number(asText(t)), i: Number(asText(i)) } }),
  RegExp: (pattern, options = "") => ({ $regularExpression: { pattern, options } }),
  Code: (code, scope) => (scope ? { $code: code, $scope: scope } : { $code: code }),
  Symbol: (text) => ({ $symbol: text }),
  MinKey: () => WORDS.MinKey,
  MaxKey: () => WORDS.MaxKey,
};

const asText = (value) => (typeof value === "object" && value ? String(Object.values(value)[0]) : String(value));

function checked(value, form, what) {
  const text = asText(value);
  if (!form.test(text)) throw new Error(`'${text}' is not ${what}`);
  return text;
}

function isoDate(text) {
  const zoned = text === undefined || /[zZ]|[+-]\d\d:?\d\d$/.test(asText(text)) || /^-?\d+$/.test(asText(text));
  const ms = text === undefined ? Date.now() : /^-?\d+$/.test(asText(text)) ? Number(asText(text)) : Date.parse(zoned ? text : text.length > 10 ? `${text}Z` : text);
  if (Number.isNaN(ms)) throw new Error(`'${text}' is not a date such as 2026-01-31T12:00:00Z`);
  return { $date: { $numberLong: String(ms) } };
}

function uuid(text) {
  const hex = checked(text, /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i, "a UUID").replaceAll("-", "");
  return { $binary: { base64: btoa(hex.replace(/../g, (pair) => String.fromCharCode(parseInt(pair, 16)))), subType: "04" } };
}

/** Reads values one after another. */
export class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(message, at = this.at) {
    throw new ShellError(message, this.text, at);
  }

  blanks() {
    const blank = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
    blank.lastIndex = this.at;
    blank.exec(this.text);
    this.at = blank.lastIndex;
  }

  take(form) {
    form.lastIndex = this.at;
    const found = form.exec(this.text);
    if (found) this.at = form.lastIndex;
    return found;
  }

  value() {
    this.blanks();
    const next = this.text[this.at];
    if (next === "{") return this.object();
    if (next === "[") return this.list("[", "]");
    if (next === '"' || next === "'") return this.string();
    if (next === "/") return this.regex();
    const number = this.take(/-?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y);
    if (number) return numeric(number[0]);
    const begun = this.at;
    this.take(/new\s+/y);
    const word = this.take(/[A-Za-z_$][\w$]*/y);
    if (word) return this.word(word[0], begun);
    this.fail(this.at < this.text.length ? `a value is expected, not '${next}'` : "a value is missing at the end");
  }

  word(name, begun) {
    this.blanks();
    if (this.text[this.at] === "(") {
      const make = Object.hasOwn(LITERALS, name) ? LITERALS[name] : this.fail(`${name}(…) is not known`, begun);
      const given = this.list("(", ")");
      try {
        return make(...given);
      } catch (error) {
        this.fail(error.message, begun);
      }
    }
    if (!Object.hasOwn(WORDS, name)) this.fail(`${name} is not known; texts stand in quotation marks`, begun);
    return WORDS[name];
  }

  /** @param {(name: string, from: number) => void} tell hears of each field when its value has been read */
  object(tell = () => {}) {
    const begun = this.at++;
    const fields = {};
    for (;;) {
      this.blanks();
      if (this.text[this.at] === "}") break;
      if (this.at >= this.text.length) this.fail("this { has no }", begun);
      const quoted = this.text[this.at] === '"' || this.text[this.at] === "'";
      const name = quoted ? this.string() : (this.take(/[A-Za-z_$][\w$.]*|\d+/y) ?? this.fail("a name is expected"))[0];
      this.blanks();
      if (this.text[this.at] !== ":") this.fail(`':' is expected after ${name}`);
      const from = ++this.at;
      Object.defineProperty(fields, name, { value: this.value(), enumerable: true, configurable: true, writable: true });
      tell(name, from);
      this.blanks();
      if (this.text[this.at] === ",") this.at++;
      else if (this.text[this.at] !== "}") this.fail("',' or '}' is expected");
    }
    this.at++;
    return fields;
  }

  list(open, close) {
    const begun = this.at++;
    const items = [];
    for (;;) {
      this.blanks();
      if (this.text[this.at] === close) break;
      if (this.at >= this.text.length) this.fail(`this ${open} has no ${close}`, begun);
      items.push(this.value());
      this.blanks();
      if (this.text[this.at] === ",") this.at++;
      else if (this.text[this.at] !== close) this.fail(`',' or '${close}' is expected`);
    }
    this.at++;
    return items;
  }

  string() {
    const found = this.take(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y) ?? this.fail("the text has no end on this line");
    const inner = found[0].slice(1, -1);
    if (found[0][0] === '"') {
      try {
        return JSON.parse(`"${inner.replace(/\t/g, "\\t")}"`);
      } catch {
        this.fail("the text has an escape that JSON does not know");
      }
    }
    return inner.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/g, (_, u, x, c) => (c === undefined ? String.fromCharCode(parseInt(u ?? x, 16)) : (ESCAPES[c] ?? c)));
  }

  regex() {
    const found = this.take(/\/((?:[^\/\\\n]|\\.)+)\/([a-z]*)/y) ?? this.fail("a value is expected");
    return { $regularExpression: { pattern: found[1].replaceAll("\\/", "/"), options: [...found[2]].sort().join("") } };
  }
}

function numeric(text) {
  if (!/^-?\d+$/.test(text)) return { $numberDouble: text.endsWith(".0") ? text.slice(0, -2) + ".0" : text };
  const whole = BigInt(text);
  if (whole >= -(2n ** 31n) && whole < 2n ** 31n) return { $numberInt: text };
  return whole >= -(2n ** 63n) && whole < 2n ** 63n ? { $numberLong: text } : { $numberDouble: text };
}
