// Runs the functions of a design document that answer requests: shows, lists, updates and rewrites. What they find around them
// besides what all functions find is what CouchDB's query server gives them (documentation, "Design Documents"): start, send,
// getRow, provides and registerType.
//
// `kit` is what the driver of all functions shares. `nextRow(text, head)` comes from the host: it takes what was sent so far, and
// the head of the answer where there is a new one, and gives the next row of a view as JSON text, or nothing at the end.
(function (kit, nextRow) {
  "use strict";

  const { install, functionAt, describe, check, begin, log } = kit;
  const stringify = JSON.stringify;
  const parse = JSON.parse;

  // Media types by the names that functions know them by, and the names by media type; who registers last counts.
  const types = {};
  const names = {};

  function registerType(name, ...kinds) {
    types[name] = kinds;
    for (const kind of kinds) names[kind] = name;
  }

  for (const [name, ...kinds] of [
    ["all", "*/*"],
    ["text", "text/plain; charset=utf-8", "txt"],
    ["html", "text/html; charset=utf-8"],
    ["xhtml", "application/xhtml+xml", "xhtml"],
    ["xml", "application/xml", "text/xml", "application/x-xml"],
    ["js", "text/javascript", "application/javascript", "application/x-javascript"],
    ["css", "text/css"],
    ["ics", "text/calendar"],
    ["csv", "text/csv"],
    ["rss", "application/rss+xml"],
    ["atom", "application/atom+xml"],
    ["yaml", "application/x-yaml", "text/yaml"],
    ["multipart_form", "multipart/form-data"],
    ["url_encoded_form", "application/x-www-form-urlencoded"],
    ["json", "application/json", "text/x-json"],
  ]) registerType(name, ...kinds);

  // What the function that runs has offered, sent and begun.
  let offers = [];
  let chosenType = null;
  let sent = [];
  let head = null;
  let isList = false;
  let isStarted = false;
  let isEnded = false;

  function reset(list) {
    offers = [];
    chosenType = null;
    sent = [];
    head = null;
    isList = list;
    isStarted = false;
    isEnded = false;
  }

  function takeSent() {
    const text = sent.join("");
    sent = [];
    return text;
  }

  function takeHead() {
    const taken = head === null ? null : stringify(head);
    head = null;
    return taken;
  }

  install("registerType", registerType);
  install("provides", (name, answer) => { offers.push([name, answer]); });
  install("start", (wanted) => { head = wanted || {}; });
  install("send", (chunk) => { sent.push(String(chunk)); });
  install("getRow", () => {
    if (!isList) throw new Error("getRow() is for list functions");
    if (isEnded) return null;
    if (!isStarted) startList();
    const row = nextRow(takeSent(), takeHead());
    begin(0);
    if (typeof row !== "string") {
      isEnded = true;
      return null;
    }
    return parse(row);
  });

  // With the first row that is asked for, the answer has a head.
  function startList() {
    isStarted = true;
    head = typed(head || {});
  }

  // An answer with the media type that was chosen for it, unless it names one.
  function typed(answer) {
    answer.headers = answer.headers || {};
    if (chosenType) answer.headers["Content-Type"] = answer.headers["Content-Type"] || chosenType;
    return answer;
  }

  // A media type or range in its parts; a quality that is none is 1.
  function media(text) {
    const [kind, ...parameters] = text.split(";").map((part) => part.trim());
    const [type, subtype] = (kind === "*" ? "*/*" : kind).split("/");
    const found = {};
    for (const parameter of parameters) {
      const [name, value] = parameter.split("=").map((part) => part.trim());
      if (value !== undefined) found[name] = value;
    }
    const quality = Number(found.q === undefined ? 1 : found.q);
    delete found.q;
    return { type, subtype, parameters: found, quality: quality >= 0 && quality <= 1 ? quality : 1 };
  }

  // How well a media type fits a range, or -1.
  function fitness(offered, range) {
    const same = (one, other) => one === other || one === "*" || other === "*";
    if (!same(offered.type, range.type) || !same(offered.subtype, range.subtype)) return -1;
    const shared = Object.keys(offered.parameters).filter((name) => range.parameters[name] === offered.parameters[name]);
    return (offered.type === range.type ? 100 : 0) + (offered.subtype === range.subtype ? 10 : 0) + shared.length;
  }

  // The media type that fits best what a client accepts, the last one of equal ones; "" where none does.
  function bestType(offered, accepted) {
    const ranges = accepted.split(",").map(media);
    let best = { fitness: -1, quality: 0, type: "" };
    for (const type of offered) {
      const parsed = media(type);
      let fit = { fitness: -1, quality: 0, type };
      for (const range of ranges) {
        const found = fitness(parsed, range);
        if (found > fit.fitness) fit = { fitness: found, quality: range.quality, type };
      }
      const order = fit.fitness - best.fitness || fit.quality - best.quality;
      if (order >= 0) best = fit;
    }
    return best.quality > 0 ? best.type : "";
  }

  // Has that function answer which offers what the request wants: by `format`, by `Accept`, or the first.
  function answerOffered(request, self) {
    const accepted = request.headers["Accept"];
    let name;
    if (request.query && request.query.format) {
      name = request.query.format;
      chosenType = (types[name] || [null])[0];
    } else if (accepted) {
      // The one that was offered first is the last of equal ones.
      const offered = offers.map(([name]) => types[name] || []).reverse().flat();
      chosenType = bestType(offered, accepted);
      name = names[chosenType];
    } else {
      name = offers[0][0];
      chosenType = (types[name] || [null])[0];
    }
    const offer = offers.findLast(([offered]) => offered === name);
    if (offer !== undefined) return offer[1].call(self);
    const all = offers.map(([name]) => (types[name] || [name]).join(", "));
    throw ["error", "not_acceptable", "Content-Type " + (accepted || name) + " not supported, try one of: " + all.join(", ")];
  }

  function wrapped(answer) {
    return typeof answer === "string" ? { body: answer } : answer;
  }

  // What is thrown goes on as an error that the function means, or as one that it made.
  function rethrow(error, kind) {
    if (error === null || (error !== undefined && error.name === "InternalError")) check(error);
    if (error !== undefined && (error[0] === "error" || error[0] === "fatal")) throw [String(error[1]), String(error[2])];
    if (error !== undefined && error.error && error.reason) throw [String(error.error), String(error.reason)];
    const text = "function raised error: " + describe(error) + " \nstacktrace: " + (error === undefined ? "" : error.stack);
    log(text);
    throw [kind, text];
  }

  function checkAnswer(answer, what) {
    if (answer !== null && typeof answer === "object" && !(answer instanceof Array)) return answer;
    throw ["error", "render_error", "undefined response from " + what + " function"];
  }

  function show(run, self, [document, request]) {
    let answer = wrapped(run.call(self, document, request) || {});
    if (sent.length > 0) {
      answer.headers = answer.headers || {};
      // What was begun may be a head with its members, or headers alone.
      const { headers, code, ...others } = head || {};
      Object.assign(answer.headers, others, headers);
      if (code !== undefined && answer.code === undefined) answer.code = code;
      answer.body = takeSent() + (answer.body || "");
    }
    if (offers.length > 0) {
      const offered = wrapped(answerOffered(request, self) || {});
      answer.body = (answer.body || "") + takeSent() + (offered.body || "");
      answer = typed(answer);
    }
    return checkAnswer(answer, "show");
  }

  return {
    // The answer to a request for a document, or for none.
    show({ name, document, request }) {
      const self = kit.design();
      const run = functionAt(["shows", name]);
      reset(false);
      begin(0);
      try {
        return stringify(show(run, self, [document, request]));
      } catch (error) {
        if (document === null && request.path.length > 5) throw ["not_found", "document not found"];
        rethrow(error, "render_error");
      }
    },

    // The document to be written, or null, and the answer.
    update({ name, document, request }) {
      const self = kit.design();
      const run = functionAt(["updates", name]);
      reset(false);
      begin(0);
      try {
        if (request.method === "GET") throw ["error", "method_not_allowed", "Update functions do not allow GET"];
        const [changed, answer] = run.call(self, document, request);
        const told = checkAnswer(wrapped(answer), "update");
        const isDocument = changed !== null && typeof changed === "object" && !(changed instanceof Array);
        return stringify([isDocument ? changed : null, told]);
      } catch (error) {
        rethrow(error, "render_error");
      }
    },

    // What is left to be sent when all rows that are wanted were read; the rest goes by `nextRow`.
    list({ name, head, request }) {
      const self = kit.design();
      const run = functionAt(["lists", name]);
      reset(true);
      begin(0);
      try {
        let tail = run.call(self, head, request);
        if (offers.length > 0) tail = answerOffered(request, self);
        if (!isStarted) startList();
        if (tail !== undefined) sent.push(String(tail));
        return stringify([takeSent(), takeHead()]);
      } catch (error) {
        rethrow(error, "render_error");
      }
    },

    // Where a request leads, or null.
    rewrite({ request }) {
      const self = kit.design();
      const run = functionAt(["rewrites"]);
      reset(false);
      begin(0);
      let result;
      try {
        result = run.call(self, request);
      } catch (error) {
        if (error && error.forbidden) throw ["forbidden", String(error.forbidden)];
        if (error && error.unauthorized) throw ["unauthorized", String(error.unauthorized)];
        rethrow(error, "rewrite_error");
      }
      if (!result) return "null";
      return stringify(typeof result === "string" ? { path: result, method: request.method } : result);
    },
  };
});
