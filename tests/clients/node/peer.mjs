// PouchDB with what the tests need of it, and express-pouchdb in this process: another server of CouchDB's protocol.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import expressPouchDB from "express-pouchdb";
import PouchDB from "pouchdb-core";
import http from "pouchdb-adapter-http";
import memory from "pouchdb-adapter-memory";
import mapreduce from "pouchdb-mapreduce";
import replication from "pouchdb-replication";

PouchDB.plugin(http).plugin(memory).plugin(mapreduce).plugin(replication);

export { PouchDB };

export async function startPeer() {
  // Attachments that express-pouchdb receives stay in the folder for temporary files.
  const before = process.env.TMPDIR;
  const folder = await mkdtemp(join(tmpdir(), "peer-"));
  process.env.TMPDIR = folder;
  const Memory = PouchDB.defaults({ adapter: "memory" });
  const app = express().use(expressPouchDB(Memory, { inMemoryConfig: true, mode: "minimumForPouchDB", logPath: "/dev/null" }));
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      await rm(folder, { recursive: true });
    },
  };
}
