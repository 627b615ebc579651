// Starts and ends a real server for a test.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

// A server that was killed is started again with its own `folder` and address.
export async function startServer({ folder, couch = "127.0.0.1:0", riak = false, elastic = false } = {}) {
  folder ??= await mkdtemp(join(tmpdir(), "larder-"));
  const binary = process.env.LARDER_BINARY;
  const options = ["serve", "--data", folder, "--memory", "64m", "--mongo-listen", "127.0.0.1:0", "--couch-listen", couch,
    "--elastic-listen", elastic ? "127.0.0.1:0" : "off", "--riak-listen", "off", "--riak-pb-listen", riak ? "127.0.0.1:0" : "off", "--http-listen", "127.0.0.1:0"];
  const child = spawn(binary, options, { stdio: ["ignore", "ignore", "pipe"] });
  const addresses = await new Promise((resolve, reject) => {
    const lines = [];
    const found = {};
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      const listening = /listening.*protocol="?([\w-]+)"? address=(\S+)/.exec(line);
      if (listening) found[listening[1]] = listening[2];
      if (found.mongo && found.couch && found.http && (!riak || found["riak-pb"]) && (!elastic || found.elastic)) resolve(found);
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`the server did not start:\n${lines.join("\n")}`)));
  });
  return {
    uri: `mongodb://${addresses.mongo}/`,
    couch: `http://${addresses.couch}/`,
    url: `http://${addresses.http}`,
    elastic: `http://${addresses.elastic}`,
    riakBuffers: addresses["riak-pb"],
    pid: child.pid,
    folder,
    address: addresses.couch,
    async kill() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      const code = await ended;
      await rm(folder, { recursive: true });
      return code;
    },
  };
}
