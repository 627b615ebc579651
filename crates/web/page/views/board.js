// One board: graphs with one range of time. What is changed is kept when one says so, and never over what somebody else kept.

import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { fromInput, toInput } from "../lib/time.js";
import { Confirm } from "../parts/dialog.js";
import { Live } from "../parts/live.js";
import { Asked, Empty } from "../parts/panel.js";
import { TimeField } from "../parts/timefield.js";
import { go, link } from "../state/route.js";
import { useResource, useUnsaved } from "../state/resource.js";
import { Taken, forget, keep, saved } from "../state/saved.js";
import { Graph, keyOf } from "./graphs/graph.js";
import { STATS } from "./graphs/series.js";

const HEIGHTS = [[160, "low"], [240, "middle"], [360, "high"]];
const RANGES = [["", "all of each"], [15 * 60_000, "15 min"], [3_600_000, "1 h"], [6 * 3_600_000, "6 h"], [86_400_000, "1 d"], [7 * 86_400_000, "7 d"], [30 * 86_400_000, "30 d"], [365 * 86_400_000, "365 d"]];

export default function BoardView({ segments, params }) {
  const name = segments[1] ?? "";
  const { data, error, loading, reload } = useResource(async (signal) => (await saved("boards", signal)).find((board) => board.name === name) ?? null, [name]);
  if (error || data === undefined) return html`<section class="view"><h1>${name}</h1><${Asked} loading=${loading} error=${error} reload=${reload} /></section>`;
  if (data === null) return html`<section class="view"><h1>${name}</h1><${Empty}><p>There is no board of this name.</p><a class="button" href="#/graphs">Graphs</a><//></section>`;
  return html`<${Board} board=${data} params=${params} reload=${reload} key=${`${name} ${data.version}`} />`;
}

/** Any client may have written the document. */
const graphsOf = ({ graphs }) => (Array.isArray(graphs) ? graphs.filter((one) => one?.coll && one.value && one.time) : []);

function Board({ board, params, reload }) {
  const before = graphsOf(board);
  const [graphs, setGraphs] = useState(before);
  const [theirs, setTheirs] = useState(null);
  const [error, setError] = useState(null);
  const [gone, setGone] = useState(false);
  const isChanged = JSON.stringify(graphs) !== JSON.stringify(before);
  const isLive = Boolean(params.live);
  const [from, to] = [Number(params.from) || undefined, Number(params.to) || undefined];
  const choose = (begin, end) => go(["board", board.name], { ...params, from: begin, to: end });
  const isSaving = useRef(false);
  const save = async (version) => {
    // What is sent twice at once would be changed elsewhere by itself.
    if (isSaving.current) return;
    isSaving.current = true;
    try {
      await keep("boards", board.name, { graphs }, version);
      reload();
    } catch (failed) {
      setError(failed);
      if (failed instanceof Taken) await saved("boards").then((all) => setTheirs(all.find(({ name }) => name === board.name) ?? { isGone: true }), setError);
    }
    isSaving.current = false;
  };
  useUnsaved(isChanged);
  const edit = (at, changes) => setGraphs(graphs.map((one, place) => (place === at ? { ...one, ...changes } : one)));
  const move = (at, by) => {
    const next = [...graphs];
    [next[at], next[at + by]] = [next[at + by], next[at]];
    setGraphs(next);
  };
  return html`<section class="view">
    <div class="head"><h1><a class="up" href="#/graphs">Graphs</a> / ${board.name}</h1><span class="grow"></span>
      <label>Range <select value="" onChange=${(event) => event.target.value === "all" ? choose(undefined, undefined) : choose(Date.now() - Number(event.target.value), Date.now())}><option value="">${from ? "chosen" : "all of each"}</option>${RANGES.map(([ms, title]) => html`<option key=${title} value=${ms || "all"}>${title}</option>`)}</select></label>
      ${from && html`<${TimeField} label="From" value=${toInput(from)} onChange=${(event) => choose(fromInput(event.target.value), to)} /><${TimeField} label="To" value=${toInput(to)} onChange=${(event) => choose(from, fromInput(event.target.value))} />`}
      <${Live} isLive=${isLive} />
      <button class="danger" onClick=${() => setGone(true)}>Delete</button>
      <button class="primary" disabled=${!isChanged} onClick=${() => save(board.version)}>Save</button>
    </div>
    ${error && !theirs && html`<p class="failure" role="alert">${error.message}</p>`}
    ${theirs?.isGone && html`<div class="note" role="alert"><h2>Deleted meanwhile</h2><p>Somebody has deleted this board.</p><p class="actions"><button class="primary" onClick=${() => save()}>Save mine anew</button></p></div>`}
    ${theirs && !theirs.isGone && html`<div class="note" role="alert"><h2>Changed meanwhile</h2><p>Somebody has kept this board with ${graphsOf(theirs).length} graphs (${graphsOf(theirs).map(({ value }) => value).join(", ")}); yours has ${graphs.length} (${graphs.map(({ value }) => value).join(", ")}). Nothing was overwritten.</p><p class="actions"><button onClick=${reload}>Take theirs</button><button class="primary" onClick=${() => save(theirs.version)}>Save mine over it</button></p></div>`}
    ${!graphs.length && html`<${Empty}><p>No graph yet: open one, and add it here.</p><a class="button" href="#/graphs">Graphs</a><//>`}
    <div class="board">${graphs.map((spec, at) => html`<article key=${at + keyOf(spec)} class=${spec.wide ? "wide-graph" : ""}>
      <div class="panel-head"><h2><a href=${link(["graphs", spec.coll], { v: spec.value, by: spec.by || "none", t: spec.time, stat: spec.stat, from, to })}>${spec.value}${spec.by ? ` by ${spec.by}` : ""}</a></h2><span class="muted">${spec.coll} · ${(STATS[spec.stat] ?? STATS.mean).title}</span>
        <button class="quiet icon" disabled=${at === 0} aria-label=${`Move ${spec.value} up`} onClick=${() => move(at, -1)}>↑</button>
        <button class="quiet icon" disabled=${at === graphs.length - 1} aria-label=${`Move ${spec.value} down`} onClick=${() => move(at, 1)}>↓</button>
        <button class="quiet" onClick=${() => edit(at, { wide: !spec.wide })}>${spec.wide ? "Half" : "Wide"}</button>
        <select aria-label=${`Height of ${spec.value}`} value=${spec.height ?? 240} onChange=${(event) => edit(at, { height: Number(event.target.value) })}>${HEIGHTS.map(([px, title]) => html`<option key=${px} value=${px}>${title}</option>`)}</select>
        <button class="quiet icon" aria-label=${`Remove ${spec.value}`} onClick=${() => setGraphs(graphs.filter((_, place) => place !== at))}>✕</button></div>
      <${Seen} height=${spec.height ?? 240}><${Graph} spec=${spec} from=${from} to=${to} isLive=${isLive} choose=${choose} height=${spec.height ?? 240} /><//>
    </article>`)}</div>
    ${gone && html`<${Confirm} title="Delete a board" text=${`The board ${board.name} will be gone for everybody; the readings stay.`} action="Delete" close=${() => setGone(false)} run=${async () => { await forget("boards", board.name); go(["graphs"]); }} />`}
  </section>`;
}

/** What nobody has scrolled to is not asked for. */
function Seen({ height, children }) {
  const element = useRef(null);
  const [isSeen, setSeen] = useState(false);
  useLayoutEffect(() => {
    const watch = new IntersectionObserver((looks) => looks.some(({ isIntersecting }) => isIntersecting) && setSeen(true));
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  return html`<div ref=${element} style=${{ minHeight: `${height}px` }}>${isSeen && children}</div>`;
}
