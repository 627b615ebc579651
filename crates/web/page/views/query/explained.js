// How a query is answered, drawn: the plans that raced, what each read, what was left after each stage, which indexes were passed by.

import { html, useMemo, useState } from "../../lib/html.js";
import { collectionOf } from "../../lib/console.js";
import { print } from "../../lib/ejson.js";
import { readExplain } from "../../lib/explain.js";
import { command } from "../../lib/http.js";
import { count, duration } from "../../lib/number.js";
import { Copy } from "../../parts/panel.js";

const RATIO_MAX = 50;

export function Explained({ reply, asked, indexes, database, again }) {
  const [showsAll, setShowsAll] = useState(false);
  const told = useMemo(() => readExplain(reply, asked, indexes), [reply]);
  const { lanes, winner, funnel, notUsed } = told;
  if (!winner) return html`<div class="card"><h2>Explain</h2><pre>${print(reply, "  ")}</pre></div>`;
  const title = lanes.length > 1
    ? `${lanes.length} plans raced; ${winner.name} won after ${count(winner.works)} ${winner.scans ? "documents" : "keys"} · ${duration(told.ms)}`
    : `No race: ${winner.scans ? "no index fits, so every document is read" : `only ${winner.name} fits`} · ${duration(told.ms)}`;
  return html`<div class="card explained">
    <h2>${title}</h2>
    <${Race} lanes=${lanes} />
    ${notUsed.length > 0 && html`<div><h3>Indexes not used</h3><dl class="not-used">${notUsed.map(({ name, why }) => html`<div key=${name}><dt class="mono">${name}</dt><dd>${why}</dd></div>`)}</dl></div>`}
    ${funnel.length > 0 && html`<${Funnel} steps=${funnel} winner=${winner} returned=${told.returned} />`}
    <${Advice} advice=${told.advice} database=${database} collection=${collectionOf(asked)} again=${again} />
    <div class="row"><button class="quiet" aria-expanded=${showsAll} onClick=${() => setShowsAll(!showsAll)}>The whole answer</button><${Copy} label="Copy" text=${() => print(reply, "  ")} /></div>
    ${showsAll && html`<pre class="whole" tabindex="0" role="region" aria-label="The whole answer">${print(reply, "  ")}</pre>`}
  </div>`;
}

/** A lane a plan: its length is what it read, the dark part which share of the results it gave. */
function Race({ lanes }) {
  const most = Math.max(...lanes.map(({ works }) => works));
  const least = Math.min(...lanes.map(({ works }) => works));
  const isLog = most / least > RATIO_MAX;
  const long = (n) => Math.max(0.5, 100 * (isLog ? Math.log(n + 1) / Math.log(most + 1) : n / most));
  const wanted = Math.max(1, ...lanes.map(({ returned }) => returned));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="The plans"><table class="race">
    <caption class="hidden">The plans, and what each read until it ended or was stopped</caption>
    <thead><tr><th scope="col">Plan</th><th scope="col">Read${isLog ? " (logarithmic)" : ""}</th><th scope="col" class="num">Keys</th><th scope="col" class="num">Documents</th><th scope="col" class="num">Results</th><th scope="col">How it ended</th></tr></thead>
    <tbody>${lanes.map((lane, at) => html`<tr key=${at} class=${lane.isWinner ? "winner" : ""}>
      <th scope="row" class="mono">${lane.isWinner ? "✔ " : ""}${lane.name}</th>
      <td class="lane"><div class="run" style=${{ width: `${long(lane.works)}%` }}><div class="share" style=${{ width: `${(100 * lane.returned) / wanted}%` }}></div></div></td>
      <td class="num">${count(lane.keys)}</td><td class="num">${count(lane.documents)}</td><td class="num">${count(lane.returned)}</td><td>${lane.says}</td>
    </tr>`)}</tbody>
  </table></div>`;
}

/** What is left after each stage of the winner; heights go by the root, so that little is still seen beside much. */
function Funnel({ steps, winner, returned }) {
  const most = Math.max(1, ...steps.map(({ n }) => n ?? 0));
  return html`<div><h3>What is left after each stage <span class="muted">${returned ? `${(winner.works / returned).toFixed(1)} ${winner.scans ? "documents" : "keys"} a result` : ""}</span></h3>
    <ol class="funnel">${steps.map(({ label, n }, at) => html`<li key=${at}><div class="pillar" style=${{ height: `${n === null ? 4 : Math.max(2, 64 * Math.sqrt(n / most))}px` }}></div><strong>${n === null ? "?" : count(n)}</strong><span class="muted">${label}</span></li>`)}</ol>
  </div>`;
}

function Advice({ advice, database, collection, again }) {
  const [state, setState] = useState(null);
  const make = async () => {
    setState("building");
    try {
      const name = Object.entries(advice.key).map(([field, order]) => `${field}_${order}`).join("_");
      await command(database, { createIndexes: collection, indexes: [{ key: advice.key, name }] });
      setState(null);
      again();
    } catch (error) {
      setState(error.message);
    }
  };
  return html`<div class="row advice"><strong>Advice</strong><span>${advice.text}</span>
    ${advice.key && html`<button class="primary" disabled=${state === "building"} onClick=${make}>${state === "building" ? "Building …" : "Make this index"}</button>`}
    ${state && state !== "building" && html`<span class="error" role="alert">${state}</span>`}
  </div>`;
}
