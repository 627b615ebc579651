// Makes a map function of an index function: what it says of a document by `index` is the value of one row. `SOURCE` stands for the
// function's source as a JSON string, `FORM` for which of the forms of `index` it calls. CouchDB's own are
// share/server/nouveau.js and share/server/dreyfus.js.
(function (source, form) {
  "use strict";

  let said = [];

  function refuse(name, message) {
    throw { name, message, toString: () => name + ": " + message };
  }

  function check(what, wanted, value) {
    if (typeof value !== wanted) refuse("TypeError", "type of " + what + " must be a " + wanted + " not " + typeof value);
  }

  function checkName(name) {
    check("name", "string", name);
    if (name.startsWith("_")) refuse("ReservedName", "name must not start with an underscore");
  }

  const forms = {
    // index(type, name, value, {store})
    nouveau(type, name, value, options) {
      check("type", "string", type);
      checkName(name);
      const isStored = Boolean(options && options.store);
      if (type === "double") check("value", "number", value);
      else if (type === "string" || type === "text") check("value", "string", value);
      else if (type !== "stored") refuse("TypeError", type + " not supported");
      else if (typeof value !== "number" && typeof value !== "string") {
        refuse("TypeError", "type of " + value + " must be a string or number");
      }
      said.push([type, name, value, isStored || type === "stored", type === "string"]);
    },

    // index(name, value, {store, facet, index, boost})
    search(name, value, options) {
      checkName(name);
      if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
        refuse("TypeError", "value must be a string, a number or boolean not " + typeof value);
      }
      if (options && typeof options !== "object") {
        refuse("TypeError", "options must be an object not " + typeof options);
      }
      const { store, facet, index, boost } = options || {};
      if (boost !== undefined && boost !== 1) throw ["fatal", "not_implemented", "`boost` of an index function"];
      const isStored = store === true || store === "true" || store === "yes";
      const isWhole = typeof index === "string" && index.startsWith("not_analyzed");
      let type = typeof value === "number" ? "double" : isWhole || typeof value === "boolean" ? "string" : "text";
      if (index === false || index === "no" || index === "false") type = "stored";
      said.push([type, name, type === "string" ? String(value) : value, isStored, Boolean(facet)]);
    },

    // index(name, value)
    mango(name, value) {
      const type = typeof value === "number" ? "double" : typeof value === "boolean" ? "string" : "text";
      said.push([type, name, type === "string" ? String(value) : value, false, false]);
    },
  };

  const trimmed = source.replace(/^\s+|[\s;]+$/g, "");
  let run;
  try {
    run = new Function("index", "return (" + trimmed + "\n);")(forms[form]);
  } catch (error) {
    throw ["compilation_error", String(error) + " (" + source + ")"];
  }
  if (typeof run !== "function") {
    throw ["compilation_error", "Expression does not eval to a function. (" + source + ")"];
  }
  return function (document) {
    said = [];
    run(document);
    if (said.length > 0) emit(null, said);
  };
})(SOURCE, FORM)
