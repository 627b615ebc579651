// Logs: a histogram, fields, and lines by time, newest first. Which collection, where the address names none, is chosen from a list.

import { html } from "../lib/html.js";
import { whole } from "../lib/http.js";
import { Choose } from "../parts/choose.js";
import { Asked, Empty } from "../parts/panel.js";
import { link } from "../state/route.js";
import { useResource } from "../state/resource.js";
import { Log } from "./logs/log.js";
import { quickShape, shape } from "./logs/search.js";

export default function Logs({ segments, params }) {
  const [, name] = segments;
  return name ? html`<${Opened} name=${whole(name)} params=${params} key=${name} />` : html`<${Choose} title="Logs" view="logs" />`;
}

function Opened({ name, params }) {
  // The mapping of a large collection takes a while when it is first asked for; lines do not wait for it.
  const quick = useResource((signal) => quickShape(name, signal), [name]);
  const mapped = useResource((signal) => shape(name, signal), [name]);
  const data = mapped.data ?? (quick.data?.isDated ? quick.data : undefined);
  if (!data) return html`<section class="view"><h1>${name}</h1><${Asked} ...${mapped} /></section>`;
  if (!data.time) return html`<section class="view"><h1>${name}</h1><${Empty}><p>No field of ${name} has dates, so its documents have no order by time.</p><a class="button" href=${link(["docs", name])}>Documents</a><//></section>`;
  return html`<${Log} name=${name} params=${params} shape=${data} />`;
}
