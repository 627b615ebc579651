// Graphs: numeric fields of a collection over time, by a field, aggregated on the server to the width of the screen.

import { html, useMemo } from "../lib/html.js";
import { count } from "../lib/number.js";
import { Chart } from "../parts/chart.js";
import { Empty, Failure, Loading } from "../parts/panel.js";
import { go, refine } from "../state/route.js";
import { useResource } from "../state/resource.js";
import { Choose } from "./logs.js";
import { sampleFields, series, timeRange } from "./graphs/series.js";

export default function Graphs({ segments, params }) {
  const [, name] = segments;
  return name ? html`<${Graph} name=${name} params=${params} key=${name} />` : html`<${Choose} title="Graphs" view="graphs" />`;
}

function Graph({ name, params }) {
  const fields = useResource((signal) => sampleFields(name, signal), [name]);
  const known = fields.data;
  if (fields.error) return html`<section class="view"><h1>${name}</h1><${Failure} error=${fields.error} retry=${fields.reload} /></section>`;
  if (!known) return html`<section class="view"><h1>${name}</h1><${Loading} on=${true} /></section>`;
  if (!known.times.length || !known.numbers.length) return html`<section class="view"><h1>${name}</h1><${Empty}><p>A graph needs a field with dates and one with numbers; the newest documents of ${name} have ${known.times.length ? "no numbers" : "no dates"}.</p><a class="button" href=${`#/docs/${encodeURIComponent(name)}`}>Documents</a><//></section>`;
  return html`<${Drawn} name=${name} params=${params} known=${known} />`;
}

function Drawn({ name, params, known }) {
  const asked = {
    time: params.t ?? known.times[0],
    value: params.v ?? known.numbers[0],
    by: params.by ?? known.texts[0] ?? "",
    from: Number(params.from) || undefined,
    to: Number(params.to) || undefined,
  };
  const { data, error, loading, reload } = useResource(async (signal) => {
    const begun = performance.now();
    const range = asked.from && asked.to ? { from: asked.from, to: asked.to } : await timeRange(name, asked.time, signal);
    return { ...(await series(name, { ...asked, ...range }, signal)), ms: performance.now() - begun };
  }, [name, JSON.stringify(asked)]);
  const sentence = useMemo(() => data && `${asked.value} of ${data.series.length} series: ${data.series.slice(0, 5).map(({ key }) => key).join(", ")}`, [data]);
  const select = (label, param, options, now) => html`<label>${label} <select value=${now} onChange=${(event) => refine({ [param]: event.target.value })}>${options.map((option) => html`<option key=${option} value=${option}>${option || "nothing"}</option>`)}</select></label>`;
  return html`<section class="view">
    <div class="head"><h1><a class="up" href="#/graphs">Graphs</a> / ${name}</h1>
      <span class="muted" role="status">${data && `${count(data.read)} readings · a point every ${data.stepText} · ${Math.round(data.ms)} ms`}</span></div>
    <div class="row graph-query">
      ${select("Value", "v", known.numbers, asked.value)} ${select("by", "by", ["", ...known.texts], asked.by)} ${select("over", "t", known.times, asked.time)}
      <span class="grow"></span>
      <button disabled=${!params.from} onClick=${() => go(["graphs", name], { ...params, from: undefined, to: undefined })}>All time</button>
    </div>
    <${Loading} on=${loading} />
    ${error && html`<${Failure} error=${error} retry=${reload} />`}
    ${data && !data.series.length && html`<${Empty}><p>No reading lies in this range.</p><//>`}
    ${data && data.series.length > 0 && html`<${Chart} data=${data} sentence=${sentence} choose=${(from, to) => go(["graphs", name], { ...params, from, to })} />`}
    ${data?.others > 0 && html`<p class="muted">${count(data.others)} more series are not drawn: the largest are.</p>`}
  </section>`;
}
