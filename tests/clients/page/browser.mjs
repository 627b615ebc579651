// A real browser on a real server. Whatever the console says of errors fails the test, and so does what axe finds.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Starts a server on a folder of its own; replications run where CouchDB's protocol has a port. */
export async function startServer({ couch = "off", memory = "128m" } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "larder-page-"));
  const off = ["--mongo-listen", "off", "--couch-listen", couch, "--elastic-listen", "off"];
  const child = spawn(process.env.LARDER_BINARY, ["serve", "--data", folder, "--memory", memory, ...off, "--http-listen", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    const lines = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      const listening = /listening.*protocol="?http"? address=(\S+)/.exec(line);
      if (listening) resolve(listening[1]);
    });
    child.once("exit", () => reject(new Error(`the server did not start:\n${lines.join("\n")}`)));
  });
  const url = `http://${address}`;
  return {
    url,
    async command(database, body) {
      const response = await fetch(`${url}/api/command/${database}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      const reply = await response.json();
      assert.ok(response.ok, JSON.stringify(reply));
      return reply;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

export const DESKTOP = { viewport: { width: 1280, height: 800 }, colorScheme: "dark" };
export const PHONE = { viewport: { width: 360, height: 740 }, colorScheme: "light", hasTouch: true };

const launchChromium = (flags) => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...FLAGS, ...flags, ...(process.getuid() === 0 ? ["--no-sandbox"] : [])] });

/**
 * Firefox as it is, by WebDriver BiDi. A later playwright-core asks it for what only newer ones know, so this one is of a version of its own.
 * A profile of its own home, because Firefox refuses one that belongs to somebody else.
 */
async function launchFirefox() {
  const { firefox } = await import("playwright-firefox-esr");
  const home = await mkdtemp(join(tmpdir(), "larder-firefox-"));
  return firefox.launch({ channel: "moz-firefox", executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", env: { ...process.env, HOME: home } });
}

/** A browser that every page of a file of tests shares. @param {"chromium"|"firefox"} kind @param {string[]} flags more of them, for Chromium */
export async function startBrowser(kind = "chromium", flags = []) {
  const browser = await (kind === "firefox" ? launchFirefox() : launchChromium(flags));
  return {
    /** A page of its own, with nothing kept of others; of something else than a server where `isLarder` says so. */
    async open(url, { isLarder = true, ...options } = DESKTOP) {
      const context = await browser.newContext({ ...options, reducedMotion: "reduce", locale: "en-GB", timezoneId: "UTC" });
      const page = await context.newPage();
      // A busy machine may take long for what an idle one does at once.
      page.setDefaultTimeout(60_000);
      const faults = [];
      // A refusal that the page shows is told by the browser too.
      const isRefusal = (text) => /status of (40[01]|429) /.test(text);
      page.on("console", (message) => message.type() === "error" && !isRefusal(message.text()) && faults.push(message.text()));
      page.on("pageerror", (error) => faults.push(String(error)));
      if (process.env.LARDER_PAGE_FOLDER && isLarder) {
        await page.route(/\/page\/[0-9a-f]{16}\//, fromFolder);
        await page.route(new URL("/", url).href, indexFromFolder);
      }
      await page.goto(url);
      return Object.assign(page, {
        faults,
        /** No error was told, and nothing stands in the way of anybody. */
        async isWell(name) {
          assert.deepEqual(faults, [], name);
          await shot(page, name);
          await page.evaluate(await readFile(axe, "utf8")).catch(() => null);
          const { violations } = await page.evaluate(() => globalThis.axe.run(document, { rules: { "color-contrast": { enabled: true } } }));
          const told = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 4).map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n  ")}`);
          assert.deepEqual(told, [], name);
          // Firefox tells of styles that the taking of pictures and axe tried to add.
          if (kind === "firefox") faults.length = 0;
          assert.deepEqual(faults, [], name);
          const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wider <= 0, `${name} is ${wider} px wider than the screen`);
        },
        done: () => context.close(),
      });
    },
    stop: () => browser.close(),
  };
}

/** Files as they lie in the folder, for who is changing them. */
async function fromFolder(route) {
  const name = new URL(route.request().url()).pathname.split("/").slice(3).join("/");
  const kind = { js: "text/javascript", mjs: "text/javascript", css: "text/css", svg: "image/svg+xml" }[name.split(".").at(-1)];
  await route.fulfill({ body: await readFile(join(process.env.LARDER_PAGE_FOLDER, name)), contentType: kind });
}

async function indexFromFolder(route) {
  const response = await route.fetch();
  const [folder] = /page\/[0-9a-f]{16}/.exec(await response.text());
  const text = await readFile(join(process.env.LARDER_PAGE_FOLDER, "index.html"), "utf8");
  await route.fulfill({ response, body: text.replace("{preloads}", "").replace("{views}", "{}").replaceAll("{page}", folder) });
}

async function shot(page, name) {
  const folder = process.env.LARDER_SHOTS;
  if (!folder || !name) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
