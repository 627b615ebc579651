// What is around the functions of a job: how they are compiled, called, and what they give is written as JSON.
// `host` has what is told by the server: `log(text)`, `metadata(batch, row, value)`, `clock(batch, row)`.
(function (host) {
  "use strict";
  // Indirect, so that functions are neither strict nor see what is here.
  const evaluate = eval;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const functions = [];
  // Whether the function of a place looks at no more of its objects than names and values.
  const plain = [];
  let batch = 0;

  const readers = ["Riak.mapValues", "Riak.mapValuesJson", "Riak.mapByFields"];
  // What may lead a function to its object without the parameter's name, or hide that name.
  const hiding = /\\u|[^\x00-\x7f]|__|`|\b(arguments|eval|with|Function|Object|Reflect|constructor|prototype|this)\b/;
  const head = /^\s*(?:function\s*[\w$]*\s*\(\s*([A-Za-z_$][\w$]*)\s*[,)]|\(\s*([A-Za-z_$][\w$]*)\s*[,)])/;
  const use = /^\s*\.\s*(?:(?:key|bucket|bucket_type|not_found)|values\s*\[\s*\d+\s*\]\s*\.\s*data)(?![\w$])(?!\s*\()/;

  // Wherever the parameter's name stands, in comments and strings too, one of these has to follow.
  function looksAtNamesAndValues(source) {
    const parameter = head.exec(source);
    if (hiding.test(source) || parameter === null) return false;
    const name = parameter[1] || parameter[2];
    const body = source.slice(parameter[0].length);
    const uses = body.matchAll(new RegExp("(?<![\\w$])" + name.replaceAll("$", "\\$") + "(?![\\w$])", "g"));
    for (const found of uses) if (!use.test(body.slice(found.index + name.length))) return false;
    return true;
  }

  globalThis.ejsLog = function (file, message) {
    host.log(`${file}: ${message}`);
  };

  function compile(place, source) {
    const compiled = evaluate(`(function () { var f = ${source}\n; return f; })`)();
    if (typeof compiled !== "function") throw new TypeError("the source of the phase is not a function");
    functions[place] = compiled;
    plain[place] = looksAtNamesAndValues(String(compiled));
  }

  function find(place, name) {
    const found = name.split(".").reduce((within, part) => (within == null ? undefined : within[part]), globalThis);
    if (typeof found !== "function") throw new ReferenceError(`${name} is not defined`);
    functions[place] = found;
    plain[place] = readers.includes(name);
  }

  // A row: bucket type, bucket, key, data of the input as JSON or null, whether it is there, and the values of its siblings.
  // By places and a loop: this runs for each object, and patterns, iterators and closures cost as much as the rest.
  function shown(row, at, isPlain) {
    const bucket_type = row[0];
    const bucket = row[1];
    const key = row[2];
    if (!row[4]) {
      const keydata = given(row[3], "undefined");
      const name = bucket_type === "default" ? { bucket, key, keydata } : { bucket_type, bucket, key, keydata };
      return { not_found: name };
    }
    if (isPlain && row.length === 6) return { bucket_type, bucket, key, values: [{ data: row[5] }] };
    const mine = batch;
    const values = [];
    for (let place = 0; place + 5 < row.length; place++) {
      let known;
      values[place] = {
        // Most functions do not look at it.
        get metadata() {
          return (known ??= parse(host.metadata(mine, at, place)));
        },
        data: row[place + 5],
      };
    }
    return {
      bucket_type,
      bucket,
      key,
      get vclock() {
        return host.clock(mine, at);
      },
      values,
    };
  }

  // Where the job names no argument, a function gets the text of the atom that Riak has there.
  function given(json, atom) {
    return json == null ? atom : parse(json);
  }

  function failed(error, row) {
    // Not to be caught: the script must end.
    if (error == null || error.message === "out of memory") throw error;
    const input = row && { bucket: row[1], key: row[2] };
    return "!" + stringify({ error: String(error), stack: error.stack, input });
  }

  return {
    compile,
    find,
    map(place, number, rows, argument) {
      batch = number;
      const known = given(argument, "none");
      const out = [];
      const called = functions[place];
      const isPlain = plain[place];
      for (let at = 0; at < rows.length; at++) {
        const row = rows[at];
        // As in Riak, no function is called with an object that is not there.
        if (!row[4]) {
          out.push(shown(row, at, isPlain));
          continue;
        }
        let results;
        try {
          results = called(shown(row, at, isPlain), given(row[3], "undefined"), known);
        } catch (error) {
          return failed(error, row);
        }
        if (!isArray(results)) return failed("non_list_result", row);
        for (let one = 0; one < results.length; one++) out.push(results[one]);
      }
      return stringify(out);
    },
    reduce(place, values, argument) {
      let results;
      try {
        results = functions[place](parse(values), given(argument, "none"));
      } catch (error) {
        return failed(error);
      }
      if (!isArray(results)) return failed("non_list_result");
      return stringify(results);
    },
  };
});
