// Runs the functions of one design document. What a function sees is what CouchDB's query server gives it
// (documentation, "Query Server"): emit, sum, log, toJSON, JSON, isArray and require.
//
// The value of this script is an object of commands; each takes one value and returns one. A refusal is thrown as
// [kind, reason]. `begin` and `log` come from the host: `begin(place)` notes what runs now and starts its time.
(function (begin, log) {
  "use strict";

  const stringify = JSON.stringify;
  const globalEval = eval;
  const freeze = Object.freeze;
  const toString = Object.prototype.toString;

  // The length of an answer of map functions past which no further document is looked at.
  const answerMax = 2 * 1024 * 1024;

  let design = {};
  const modules = {};
  const compiled = {};
  let maps = [];
  let sealing = true;
  let reduces = [];
  let emitted = [];

  // An error stringifies as {}; its name and message are worth more.
  function plain(value) {
    if (value !== null && typeof value === "object" && "stack" in value && "name" in value && "message" in value) {
      return { error: value.name, message: value.message };
    }
    return value;
  }

  function describe(error) {
    return error !== null && error !== undefined && error.toString ? error.toString() : String(error);
  }

  function seal(value) {
    freeze(value);
    for (const name in value) {
      const inner = value[name];
      if (inner !== null && typeof inner === "object") seal(inner);
    }
  }

  // Whether a function might change what it is given. Most only read it, and need not have it sealed; whatever could be an
  // assignment to a member, or a call that changes an object, counts, in comments and strings too. Names have letters of any script.
  const changing = [
    /[\])}]\s*([-+*\/%&|^?]*|<<|>>>?)=(?![=>])/, // a[b] = c, [a.b] = c
    /\.\s*[\w$\x80-\uffff]+\s*([-+*\/%&|^?]*|<<|>>>?)=(?![=>])/, // a.b = c, a.b += c
    /([\])]|\.\s*[\w$\x80-\uffff]+)\s*(\+\+|--)/, // a.b++
    /(\+\+|--)\s*(\(|[\w$\x80-\uffff]+\s*[.[(`])/, // ++a.b, ++(a.b), ++a(b).c
    /\bfor\s*\(\s*([([{]|[\w$\x80-\uffff]+\s*[.[])/, // for (a.b of c), for ([a.b] of c)
    /\.\s*(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)\b/,
    /\]\s*\(|\?\./, // a[b](c), a?.b
    /\b(delete|eval|with|require|Function|Object|Reflect|Proxy|Array|apply|bind|call|constructor|prototype)\b/,
    /__|\\[ux]|\/\*|\/\//, // __proto__, hidden names, comments between the parts
  ];

  function mayChange(source) {
    return changing.some((pattern) => pattern.test(source));
  }

  // What may lead a map function to its document without the parameter's name, or hide that name.
  const hiding = /\\u|[^\x00-\x7f]|__|\b(arguments|eval|with|Function|Object|Reflect|constructor|prototype)\b/;
  const head = /^(?:function\s*[\w$]*\s*\(\s*([A-Za-z_$][\w$]*)\s*\)\s*\{|\(?\s*([A-Za-z_$][\w$]*)\s*\)?\s*=>)/;
  // A member that is read, and not called: a method would be handed the document.
  const member = /^\s*\.\s*([A-Za-z_$][\w$]*)(?=\s*[^\s\w$(`]|\s+[\w$]|\s*$)/;

  // The members of its document that a map function looks at, or null where it may look at more: wherever the parameter's
  // name stands, in comments and strings too, `.member` has to follow.
  function seenMembers(map) {
    const source = String(map);
    const parameter = head.exec(source);
    if (hiding.test(source) || parameter === null) return null;
    const name = parameter[1] || parameter[2];
    const uses = new RegExp("(?<![\\w$])" + name.replaceAll("$", "\\$") + "(?![\\w$])", "g");
    const body = source.slice(parameter[0].length);
    const seen = [];
    for (const use of body.matchAll(uses)) {
      const read = member.exec(body.slice(use.index + name.length));
      if (read === null) return null;
      seen.push(read[1]);
    }
    return seen;
  }

  function emit(key, value) {
    emitted.push([key, plain(value)]);
  }

  function install(name, value) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }

  install("emit", emit);
  install("sum", (values) => {
    let total = 0;
    for (const at in values) total += values[at];
    return total;
  });
  install("log", (message) => log(String(typeof message === "string" ? message : stringify(plain(message)))));
  install("toJSON", stringify);
  install("isArray", (value) => toString.call(value) === "[object Array]");

  // Modules: a path names a string in the design document; `.` and `..` are relative to the folder of the module that asks.
  function locate(path, folder) {
    const names = path.split("/");
    const place = names[0] === "." || names[0] === ".." ? folder.slice() : [];
    for (const name of names) {
      if (name === "..") {
        if (place.length === 0) throw ["invalid_require_path", "Object has no parent " + stringify(design)];
        place.pop();
      } else if (name !== ".") {
        place.push(name);
      }
    }
    return place;
  }

  function sourceAt(place) {
    let current = design;
    for (const name of place) {
      if (current === null || current[name] === undefined) {
        throw ["invalid_require_path", 'Object has no property "' + name + '". ' + stringify(current)];
      }
      current = current[name];
    }
    if (typeof current !== "string") {
      throw ["invalid_require_path", "Must require a JavaScript string, not: " + typeof current];
    }
    return current;
  }

  function requireFrom(folder) {
    return (path) => {
      const place = locate(path, folder);
      const id = place.join("/");
      if (!Object.hasOwn(modules, id)) {
        const source = sourceAt(place);
        const module = { id, exports: {}, current: source };
        modules[id] = module.exports; // what a circular require sees
        try {
          const body = globalEval("(function (module, exports, require) { " + source + "\n })");
          body.call(globalThis, module, module.exports, requireFrom(place.slice(0, -1)));
        } catch (error) {
          delete modules[id];
          if (error instanceof Array) throw error;
          throw ["compilation_error", "Module require('" + path + "') raised error " + describe(error)];
        }
        modules[id] = module.exports;
      }
      return modules[id];
    };
  }
  install("require", requireFrom([]));

  // A source is an expression; a semicolon behind it, or statements before it, are let pass as CouchDB lets them.
  function compile(source) {
    const trimmed = String(source).replace(/^\s+|[\s;]+$/g, "");
    let value;
    try {
      value = globalEval("(" + trimmed + "\n)");
    } catch (error) {
      try {
        value = globalEval(String(source));
      } catch (_) {
        throw ["compilation_error", describe(error) + " (" + source + ")"];
      }
    }
    if (typeof value !== "function") {
      throw ["compilation_error", "Expression does not eval to a function. (" + source + ")"];
    }
    return value;
  }

  // What a thrown value means for the whole request: nothing, unless it says that it is fatal.
  function check(error) {
    // What QuickJS throws where not even an error can be made.
    if (error === null) throw ["InternalError", "out of memory"];
    if (error === "fatal_error") throw ["map_runtime_error", "function raised 'fatal_error'"];
    if (error instanceof Array && error[0] === "fatal") throw [error[1], error[2]];
    if (error !== undefined && error.name === "InternalError") throw [error.name, error.message];
  }

  function mapOne(map, document) {
    emitted = [];
    try {
      map(document);
      return emitted;
    } catch (error) {
      check(error);
      log("function raised exception " + describe(error) + " with doc._id " + document._id);
      return [];
    }
  }

  // The function at a path of the design document, compiled once.
  function functionAt(path) {
    const id = path.join(".");
    if (!Object.hasOwn(compiled, id)) {
      let point = design;
      for (const name of path) {
        point = point === null || point === undefined ? undefined : point[name];
      }
      if (!point) {
        throw ["not_found", "missing " + path[0] + " function " + path[path.length - 1] + " on design doc " + design._id];
      }
      compiled[id] = compile(point);
    }
    return compiled[id];
  }

  return {
    // What the functions that answer requests share with these.
    kit: { install, functionAt, describe, check, begin, log, design: () => design },

    // The design document that require and the functions of a design document look into.
    design(document) {
      design = document;
    },

    // The map and reduce functions, by their sources.
    views({ map, reduce }) {
      maps = map.map(compile);
      sealing = map.some(mayChange);
      reduces = reduce.map(compile);
    },

    // The members of documents that any of the map functions looks at, or null where one may look at more.
    members() {
      const each = maps.map(seenMembers);
      return stringify(each.includes(null) ? null : [...new Set(each.flat())]);
    },

    // For each document its rows, by map function; the answer is text, so that what a function emitted cannot change later. Where
    // the rows of the first documents are much, the rest has to be asked for again.
    map(documents) {
      const out = [];
      let length = 0;
      for (let at = 0; at < documents.length && length < answerMax; at++) {
        begin(at);
        const document = documents[at];
        documents[at] = null;
        if (sealing) seal(document);
        const rows = [];
        for (let index = 0; index < maps.length; index++) rows.push(mapOne(maps[index], document));
        const text = stringify(rows);
        length += text.length;
        out.push(text);
      }
      return "[" + out.join(",") + "]";
    },

    // For each call the reduction, or null where the function failed.
    reduce(calls) {
      const out = [];
      for (let at = 0; at < calls.length; at++) {
        begin(at);
        const call = calls[at];
        let result = null;
        try {
          result = reduces[call.function](call.keys, call.values, call.keys === null);
        } catch (error) {
          check(error);
          log("function raised exception " + describe(error));
        }
        const text = stringify(result);
        out.push(text === undefined ? "null" : text);
      }
      return "[" + out.join(",") + "]";
    },

    // What validate_doc_update throws, or null.
    validate(args) {
      begin(0);
      try {
        functionAt(["validate_doc_update"]).apply(design, args);
        return "null";
      } catch (error) {
        check(error);
        if (error !== null && error !== undefined && error.name && error.stack) throw [error.name, describe(error)];
        const text = stringify(error);
        // What cannot be told refuses too: undefined, a function, a number that is none.
        if (text === undefined || text === "null") throw ["unknown_error", "validate_doc_update threw " + String(error)];
        return text;
      }
    },

    // Which documents a filter lets through.
    filter({ name, documents, request }) {
      const filter = functionAt(["filters", name]);
      return stringify(documents.map((document, at) => {
        begin(at);
        return Boolean(filter.apply(design, [document, request]));
      }));
    },

    // For which documents a map function emits.
    filterView({ name, documents }) {
      const map = functionAt(["views", name, "map"]);
      return stringify(documents.map((document, at) => {
        begin(at);
        emitted = [];
        map(document);
        return emitted.length > 0;
      }));
    },
  };
});
