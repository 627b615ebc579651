// One line whole: its fields, each to be filtered by, and its document.

import { html } from "../../lib/html.js";
import { print, scalar } from "../../lib/ejson.js";
import { stamp } from "../../lib/time.js";
import { Dialog } from "../../parts/dialog.js";
import { Copy } from "../../parts/panel.js";
import { link } from "../../state/route.js";

export function Details({ row, name, shape, add, around, close }) {
  const fields = flat(row.source);
  const whole = `/api/export/${encodeURIComponent(name)}?${new URLSearchParams({ format: "ndjson", filter: JSON.stringify({ _id: row.key }) })}`;
  return html`<${Dialog} title=${stamp(row.time)} close=${close} wide>
    <div class="scroll"><table class="rows fields">
      <thead><tr><th>Field</th><th>Value</th><th><span class="hidden">Filter</span></th></tr></thead>
      <tbody>${fields.map(([field, value]) => html`<tr key=${field}><th scope="row" class="mono">${field}</th><td class="mono"><pre>${typeof scalar(value) === "string" ? scalar(value) : JSON.stringify(value)}</pre></td>
        <td class="nowrap">${typeof scalar(value) !== "object" && field !== shape.time && html`<${AddFilter} field=${field} value=${value} add=${add} />`}</td></tr>`)}</tbody>
    </table></div>
    <p class="actions"><button onClick=${() => around(row)}>Lines around</button><a class="button" href=${link(["docs", name, print(row.key)])}>Document</a><a class="button" href=${whole} download title="The document with its values in full, as NDJSON">Download</a><${Copy} text=${() => JSON.stringify(row.source, null, 2)} label="Copy JSON" /></p>
  <//>`;
}

/** Narrows to a value of a field, or to all others. */
export function AddFilter({ field, value, add }) {
  return html`<button class="quiet icon" aria-label=${`Only ${field} ${scalar(value)}`} onClick=${() => add({ field, value })}>+</button>
    <button class="quiet icon" aria-label=${`Without ${field} ${scalar(value)}`} onClick=${() => add({ field, value, not: true })}>−</button>`;
}

function flat(source, prefix = "") {
  return Object.entries(source).flatMap(([name, value]) => (value && typeof scalar(value) === "object" && !Array.isArray(value) && !prefix ? flat(value, `${name}.`) : [[prefix + name, value]]));
}
