// The console for MongoDB's commands: a text, or a pipeline stage by stage; its results, or how it is answered.

import { html, useEffect, useState } from "../../lib/html.js";
import { EXPLAINED, called, collectionOf, commandOf } from "../../lib/console.js";
import { command, commandPath, curl, drained, get } from "../../lib/http.js";
import { RESULTS_MAX, TRIM_BYTES } from "../../limits.js";
import { Asked, Copy, Tabs } from "../../parts/panel.js";
import { Results } from "../../parts/results.js";
import { remember } from "../../state/history.js";
import { refine } from "../../state/route.js";
import { useResource, useRun } from "../../state/resource.js";
import { session } from "../../state/session.js";
import { Explained } from "./explained.js";
import { Kept } from "./kept.js";
import { Stages, pipelineText, stagesOfText } from "./stages.js";

const TIME_MS = 30_000;
const TIMED = ["find", "aggregate", "count", "distinct"];

export function Mongo({ params }) {
  const known = useResource((signal) => get("/api/collections", signal), []);
  const collections = known.data?.collections ?? [];
  const first = collections.filter((one) => one.documents && !["admin", "local", "config", "larder"].includes(one.database)).sort((a, b) => b.documents - a.documents)[0];
  const database = params.db ?? first?.database ?? "default";
  const [text, setText] = useState(params.x ?? null);
  const [state, begin] = useRun();
  const [round, setRound] = useState(0);
  useEffect(() => {
    if ((params.x ?? null) === text) return;
    setText(params.x ?? null);
    setRound(round + 1);
  }, [params.x]);
  const now = text ?? (first ? `${called(first.collection)}.find({}).limit(20)` : "db.runCommand({ ping: 1 })");

  const go = (what) => begin(async (signal) => {
    const asked = commandOf(now);
    // Passwords are for no history, and for no address.
    if (!("pwd" in asked)) {
      refine({ db: database, x: now });
      remember("mongo", { db: database, x: now, mode: params.mode });
    }
    return { ...(await (what === "explain" ? explain : run)(database, asked, signal)), asked };
  });
  // From the list of slow queries one comes to see how it is answered.
  useEffect(() => {
    if (!params.explain || !params.x) return;
    refine({ explain: undefined });
    go("explain");
  }, []);
  const { documents, explained } = state.error ? {} : state;
  const byStages = params.mode === "stages";
  const databases = [...new Set(["default", "admin", database, ...collections.map((one) => one.database)])];
  return html`
    <form class="console" onSubmit=${(event) => { event.preventDefault(); go("run"); }}>
      <div class="row">
        <${Tabs} label="Written as" now=${byStages ? "stages" : "text"} choose=${(mode) => { setText(now); refine({ mode: mode === "stages" ? mode : undefined, x: now, db: database }); }} tabs=${[["text", "Text"], ["stages", "Stages"]]} />
        <label>Database <select value=${database} onChange=${(event) => refine({ db: event.target.value, x: now })}>${databases.map((name) => html`<option key=${name}>${name}</option>`)}</select></label>
        <span class="grow"></span>
        <${Kept} kind="mongo" current=${() => ({ db: database, x: now, mode: params.mode })} />
        <${Copy} label="Copy as curl" text=${() => curl("POST", commandPath(database), commandOf(now), session.value?.user?.name)} />
        <button type="button" onClick=${() => go("explain")}>Explain</button>
        <button class="primary" data-run>Run</button>
      </div>
      ${byStages
        ? html`<${Stages} key=${round} database=${database} collections=${collections.filter((one) => one.database === database)} begin=${stagesOfText(now, first?.collection)} changed=${(collection, stages) => setText(pipelineText(collection, stages))} />`
        : html`<textarea data-query class="editor short" aria-label="Command" spellcheck=${false} autocapitalize="off" rows=${Math.min(18, Math.max(4, now.split("\n").length + 1))} value=${now} onInput=${(event) => setText(event.target.value)}></textarea>
          <p class="muted">A command as a document, <code>{ find: "zips", filter: { pop: { $gt: 10000 } } }</code>, or a call as in MongoDB's shell, <code>db.zips.aggregate([ … ])</code>. Ctrl+Enter runs it; without a time limit of its own a read ends after 30 s.</p>`}
    </form>
    <${Asked} loading=${state.loading} error=${state.error} reload=${() => go("run")} />
    ${documents && html`<${Results} documents=${documents} says=${`${documents.length.toLocaleString()}${state.hasMore ? " of more" : ""} documents · ${Math.round(state.ms)} ms`} />`}
    ${explained && html`<${Explained} reply=${explained} asked=${state.asked} indexes=${state.indexes} database=${database} again=${() => go("explain")} />`}`;
}

/** Runs a command; what is kept behind a cursor is read up to what is shown. */
async function run(database, asked, signal) {
  const [verb] = Object.keys(asked);
  const body = TIMED.includes(verb) && !("maxTimeMS" in asked) ? { ...asked, maxTimeMS: TIME_MS } : asked;
  const reply = await command(database, body, { trim: TRIM_BYTES, signal });
  return reply.cursor ? drained(database, reply, { most: RESULTS_MAX, trim: TRIM_BYTES, signal }) : { documents: [reply], hasMore: false };
}

/** How a command is answered: `explain` with all plans, and the indexes that there are. */
async function explain(database, asked, signal) {
  const [verb] = Object.keys(asked);
  if (!EXPLAINED.includes(verb)) throw new Error(`${verb} is not explained; ${EXPLAINED.join(", ")} are`);
  const { maxTimeMS, ...question } = asked;
  const reply = await command(database, { explain: question, verbosity: "allPlansExecution", maxTimeMS: maxTimeMS ?? TIME_MS }, { signal });
  const listed = await command(database, { listIndexes: collectionOf(asked) }, { signal }).catch(() => null);
  return { explained: reply, indexes: listed?.cursor.firstBatch.map(({ name, key }) => ({ name, key })) ?? [] };
}
