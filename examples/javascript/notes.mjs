// Notes that two people edit, over CouchDB's protocol.
//
//     node notes.mjs [http://127.0.0.1:5984]

const server = (process.argv[2] ?? "http://127.0.0.1:5984").replace(/\/$/, "");

// Without a library: every request is JSON, and so is every answer, an error too.
async function ask(method, path, body) {
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  const answer = await fetch(`${server}/notes${path}`, { method, headers, body: JSON.stringify(body) });
  return { status: answer.status, ...(await answer.json()) };
}

await ask("DELETE", "");
await ask("PUT", "");

// A note's revision says which state of it somebody has seen.
const first = await ask("PUT", "/shopping", { list: ["milk"] });
console.log("written:", first.rev);

// Ann and Bob both change what they have read: the second of them is told.
const seen = await ask("GET", "/shopping");
await ask("PUT", "/shopping", { _rev: seen._rev, list: [...seen.list, "bread"] });
const late = await ask("PUT", "/shopping", { _rev: seen._rev, list: [...seen.list, "eggs"] });
console.log("second writer:", late.status, late.error);

// So Bob reads again, and adds to what is there now.
const now = await ask("GET", "/shopping");
await ask("PUT", "/shopping", { _rev: now._rev, list: [...now.list, "eggs"] });
console.log("list:", (await ask("GET", "/shopping")).list.join(", "));

// Many at once, and queries: an index first, so that not every note is looked at.
await ask("POST", "/_bulk_docs", { docs: [1, 2, 3, 4].map((n) => ({ _id: `todo-${n}`, priority: n, done: n % 2 === 0 })) });
await ask("POST", "/_index", { index: { fields: ["priority"] }, ddoc: "indexes", name: "by-priority" });
const found = await ask("POST", "/_find", { selector: { priority: { $gt: 1 }, done: false }, sort: ["priority"] });
console.log("to do:", found.docs.map((note) => note._id).join(", "));

// A view adds up on the server, and only what has changed since it was asked last.
const map = "function (note) { if (note.priority) emit(note.done, note.priority); }";
await ask("PUT", "/_design/sums", { views: { priorities: { map, reduce: "_sum" } } });
const sums = await ask("GET", "/_design/sums/_view/priorities?group=true");
console.log("sums:", sums.rows.map(({ key, value }) => `${key}=${value}`).join(" "));

// Whoever was away asks what has changed since.
const changes = await ask("GET", "/_changes?include_docs=true");
console.log("changed:", changes.results.map((change) => change.id).join(", "));
