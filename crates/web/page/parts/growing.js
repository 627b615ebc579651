// What an import has brought so far: a graph of readings, the last lines of logs.

import { html } from "../lib/html.js";
import { command, parts } from "../lib/http.js";
import { typeOf } from "../lib/ejson.js";
import { groupOf, letterOf } from "../lib/level.js";
import { stamp } from "../lib/time.js";
import { link } from "../state/route.js";
import { useResource } from "../state/resource.js";
import { Graph } from "../views/graphs/graph.js";
import { rowOf } from "../views/logs/find.js";

const LOOK_MS = 1000;
const LINES = 9;
const HEIGHT = 200;

/** Its links leave an import that runs where it is. @param {{plans: object[], isRunning: boolean}} props plans of which something has come */
export function Growing({ plans, isRunning }) {
  const readings = plans.find((plan) => plan.kind === "readings");
  const log = plans.find((plan) => plan.kind === "log");
  if (!readings && !log) return null;
  return html`<div class="cards">
    ${readings && html`<${Readings} plan=${readings} isRunning=${isRunning} />`}
    ${log && html`<${Arrived} plan=${log} isRunning=${isRunning} />`}
  </div>`;
}

function Readings({ plan, isRunning }) {
  const value = Object.entries(plan.sample[0] ?? {}).find(([name, one]) => name !== plan.time && (typeof one === "number" || ["int", "long", "double"].includes(typeOf(one))))?.[0];
  if (!value) return null;
  const spec = { coll: plan.target, time: plan.time, value, by: "device", stat: "mean" };
  return html`<section aria-label="Readings so far"><div class="row"><h3>${value} by device</h3><span class="grow"></span><a href=${link(["graphs", plan.target])} target=${isRunning ? "_blank" : undefined}>Open graph</a></div>
    <${Graph} spec=${spec} isLive=${isRunning} choose=${() => {}} height=${HEIGHT} /></section>`;
}

function Arrived({ plan, isRunning }) {
  const { data } = useResource(async (signal) => {
    const [database, collection] = parts(plan.target);
    const { cursor } = await command(database, { find: collection, sort: { $natural: -1 }, limit: LINES, singleBatch: true }, { signal, trim: 400 });
    return cursor.firstBatch.map((document) => rowOf(document, "time"));
  }, [plan.target, isRunning], isRunning ? LOOK_MS : 0);
  return html`<section aria-label="Lines so far"><div class="row"><h3>${plan.target}</h3><span class="grow"></span><a href=${link(["logs", plan.target], { live: 1 })} target=${isRunning ? "_blank" : undefined}>Open logs, live</a></div>
    <div class="lines few">${(data ?? []).map(({ id, time, source }) => html`<div class="line" key=${id}><span class="at">${stamp(time)}</span><span class=${`level ${groupOf(source.level)}`}>${letterOf(source.level)}</span><span class="message">${String(source.message ?? "").slice(0, 400)}</span></div>`)}</div></section>`;
}
