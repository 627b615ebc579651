import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Client, errors } from "@elastic/elasticsearch";
import pino from "pino";
import pinoElastic from "pino-elasticsearch";
import { startServer } from "./server.mjs";

let server, client, folder;

before(async () => {
  server = await startServer({ elastic: true });
  client = new Client({ node: server.elastic });
  folder = await mkdtemp(join(tmpdir(), "elastic-"));
});

after(async () => {
  await client?.close();
  await server?.stop();
  await rm(folder, { recursive: true });
});

test("the client of Elasticsearch 8 writes, searches and is told what is wrong", async () => {
  assert.equal((await client.info()).tagline, "You Know, for Search");
  await client.indices.create({ index: "lines", mappings: { properties: { level: { type: "keyword" } } } });
  const documents = Array.from({ length: 1500 }, (_, n) => ({ n, level: n % 5 ? "info" : "warn", message: `line ${n % 10}` }));
  const done = await client.helpers.bulk({ datasource: documents, onDocument: (line) => ({ index: { _index: "lines", _id: String(line.n) } }) });
  assert.deepEqual([done.successful, done.failed], [1500, 0]);
  const answer = await client.search({ index: "lines", query: { bool: { must: { match: { message: "5" } }, filter: { term: { level: "warn" } } } },
    aggs: { levels: { terms: { field: "level" } } }, sort: [{ n: "desc" }], size: 2 });
  assert.equal(answer.hits.total.value, 150);
  assert.deepEqual(answer.hits.hits.map((hit) => hit._source.n), [1495, 1485]);
  assert.deepEqual(answer.aggregations.levels.buckets, [{ key: "warn", doc_count: 150 }]);
  let scrolled = 0;
  for await (const document of client.helpers.scrollDocuments({ index: "lines", size: 400, query: { term: { level: "warn" } } })) scrolled += document.level === "warn";
  assert.equal(scrolled, 300);
  await client.update({ index: "lines", id: "7", script: { source: "ctx._source.n += params.by", params: { by: 1000 } } });
  assert.equal((await client.get({ index: "lines", id: "7" }))._source.n, 1007);
  const seen = await client.get({ index: "lines", id: "8" });
  await client.delete({ index: "lines", id: "8", if_seq_no: seen._seq_no, if_primary_term: seen._primary_term });
  await assert.rejects(client.get({ index: "lines", id: "8" }), errors.ResponseError);
  await assert.rejects(client.search({ index: "none" }), (error) => error.statusCode === 404 && error.body.error.type === "index_not_found_exception");
});

test("elasticdump takes an index away and brings it back, with mapping and settings", async () => {
  const settings = { analysis: { analyzer: { own: { type: "custom", tokenizer: "whitespace", filter: ["lowercase"] } } } };
  await client.indices.create({ index: "source", settings, mappings: { properties: { text: { type: "text", analyzer: "own" }, n: { type: "long" } } } });
  const datasource = Array.from({ length: 1234 }, (_, n) => ({ n, text: `Text-${n % 50} of many`, ü: "ä" }));
  await client.helpers.bulk({ datasource, onDocument: (line) => ({ index: { _index: "source", _id: `d${line.n}` } }) });
  const run = promisify(execFile);
  const dump = (input, output, type) => run(process.execPath, ["node_modules/elasticdump/bin/elasticdump", `--input=${input}`, `--output=${output}`,
    `--type=${type}`, "--limit=500", "--quiet"], { timeout: 120_000 });
  for (const type of ["analyzer", "mapping", "data"]) {
    await dump(`${server.elastic}/source`, join(folder, `${type}.json`), type);
    await dump(join(folder, `${type}.json`), `${server.elastic}/target`, type);
  }
  assert.equal((await readFile(join(folder, "data.json"), "utf8")).trim().split("\n").length, 1234);
  const all = async (index) => {
    const lines = [];
    for await (const page of client.helpers.scrollSearch({ index, size: 1000 })) lines.push(...page.body.hits.hits.map((hit) => JSON.stringify([hit._id, hit._source])));
    return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
  };
  assert.equal(await all("target"), await all("source"));
  const mappings = async (index) => (await client.indices.getMapping({ index }))[index].mappings;
  assert.deepEqual(await mappings("target"), await mappings("source"));
  assert.equal((await client.count({ index: "target", query: { match: { text: "text-7" } } })).count, 25);
  // Straight from one index into another, too.
  await dump(`${server.elastic}/source`, `${server.elastic}/copy`, "data");
  assert.equal((await client.count({ index: "copy" })).count, 1234);
});

test("pino-elasticsearch brings the log of a program", async () => {
  const stream = pinoElastic({ index: "pino", node: server.elastic, esVersion: 8, flushBytes: 1000, flushInterval: 100 });
  const failures = [];
  for (const event of ["unknown", "insertError", "error"]) stream.on(event, (error) => failures.push(error));
  const log = pino({ level: "info" }, stream);
  for (let n = 0; n < 250; n += 1) log.warn({ n, device: "boiler" }, `pressure ${n} is low`);
  const until = Date.now() + 60_000;
  const count = async () => (await client.count({ index: "pino", query: { match_phrase: { msg: "is low" } } }, { ignore: [404] })).count ?? 0;
  while ((await count()) < 250 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(failures, []);
  assert.equal(await count(), 250);
  const newest = await client.search({ index: "pino", query: { match: { device: "boiler" } }, sort: [{ time: "desc" }, { n: "desc" }], size: 1 });
  assert.equal(newest.hits.hits[0]._source.n, 249);
  stream.destroy();
});
