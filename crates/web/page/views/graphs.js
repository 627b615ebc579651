// Graphs: numeric fields of a collection over time, by a field, aggregated on the server to the width of the screen; and boards of them.

import { html, useState } from "../lib/html.js";
import { whole } from "../lib/http.js";
import { Choose } from "../parts/choose.js";
import { Live } from "../parts/live.js";
import { Asked, Empty } from "../parts/panel.js";
import { go, link, refine } from "../state/route.js";
import { useResource } from "../state/resource.js";
import { AddToBoard, Boards } from "./graphs/boards.js";
import { learn } from "./graphs/columns.js";
import { Graph } from "./graphs/graph.js";
import { STATS, sampleFields } from "./graphs/series.js";

export default function Graphs({ segments, params }) {
  const [, name] = segments;
  return name ? html`<${Fields} name=${whole(name)} params=${params} key=${name} />` : html`<${Boards} /><${Choose} title="Graphs" view="graphs" />`;
}

function Fields({ name, params }) {
  const fields = useResource((signal) => {
    learn(name);
    return sampleFields(name, signal);
  }, [name]);
  const known = fields.data;
  if (fields.error || !known) return html`<section class="view"><h1>${name}</h1><${Asked} ...${fields} /></section>`;
  if (!known.times.length || !known.numbers.length) return html`<section class="view"><h1>${name}</h1><${Empty}><p>A graph needs a field with dates and one with numbers; the newest documents of ${name} have ${known.times.length ? "no numbers" : "no dates"}.</p><a class="button" href=${link(["docs", name])}>Documents</a><//></section>`;
  return html`<${One} name=${name} params=${params} known=${known} />`;
}

function One({ name, params, known }) {
  const [adds, setAdds] = useState(false);
  const spec = { coll: name, time: params.t ?? known.times[0], value: params.v ?? known.numbers[0], by: params.by === "none" ? "" : (params.by ?? known.by), stat: Object.hasOwn(STATS, params.stat) ? params.stat : "mean" };
  const isLive = Boolean(params.live);
  const select = (label, param, options, now) => html`<label>${label} <select value=${now} onChange=${(event) => refine({ [param]: event.target.value })}>${options.map(([value, title]) => html`<option key=${value} value=${value}>${title}</option>`)}</select></label>`;
  // What the address names may not be among the newest documents.
  const same = (list, now) => [...new Set([...list, now])].filter(Boolean).map((one) => [one, one]);
  return html`<section class="view">
    <div class="head"><h1><a class="up" href="#/graphs">Graphs</a> / ${name}</h1></div>
    <div class="row graph-query">
      ${select("Value", "v", same(known.numbers, spec.value), spec.value)} ${select("drawn as", "stat", Object.entries(STATS).map(([stat, { title }]) => [stat, title]), spec.stat)} ${select("by", "by", [["none", "nothing"], ...same(known.texts, spec.by)], spec.by || "none")} ${select("over", "t", same(known.times, spec.time), spec.time)}
      <span class="grow"></span>
      <${Live} isLive=${isLive} />
      <button disabled=${!params.from} onClick=${() => go(["graphs", name], { ...params, from: undefined, to: undefined })}>All time</button>
      <button onClick=${() => setAdds(true)}>Add to a board</button>
    </div>
    <${Graph} spec=${spec} from=${Number(params.from) || undefined} to=${Number(params.to) || undefined} isLive=${isLive} choose=${(from, to) => go(["graphs", name], { ...params, from, to })} />
    ${adds && html`<${AddToBoard} spec=${spec} close=${() => setAdds(false)} />`}
  </section>`;
}
