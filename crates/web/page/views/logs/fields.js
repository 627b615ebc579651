// The fields of the lines: what values they have, to be filtered by.

import { html, useState } from "../../lib/html.js";
import { count, share } from "../../lib/number.js";
import { useResource } from "../../state/resource.js";
import { values } from "./search.js";

export function FieldList({ name, query, shape, add, columns, toggleColumn }) {
  const [find, setFind] = useState("");
  const shown = shape.fields.filter((field) => field.name.includes(find) && field.name !== shape.time).slice(0, 200);
  return html`<aside class="field-list" aria-label="Fields">
    <input type="search" placeholder="Find a field" aria-label="Find a field" value=${find} onInput=${(event) => setFind(event.target.value)} />
    ${shown.map((field) => html`<details key=${field.name}>
      <summary><span class="mono">${field.name}</span> <small class="muted">${field.type}</small></summary>
      <${Values} name=${name} query=${query} field=${field} add=${add} />
      <button class="quiet" aria-pressed=${columns.includes(field.name)} onClick=${() => toggleColumn(field.name)}>${columns.includes(field.name) ? "Remove column" : "Show as column"}</button>
    </details>`)}
  </aside>`;
}

function Values({ name, query, field, add }) {
  const [isWanted, setWanted] = useState(false);
  if (!field.exact) return html`<p class="muted">Text without exact values: search it by the query.</p>`;
  if (!isWanted) return html`<button class="quiet" onClick=${() => setWanted(true)}>Count its values</button>`;
  return html`<${Counted} name=${name} query=${query} field=${field} add=${add} />`;
}

function Counted({ name, query, field, add }) {
  const { data, error } = useResource((signal) => values(name, query, field, signal), [name, JSON.stringify(query), field.name]);
  if (error) return html`<p class="error">${error.message}</p>`;
  if (!data) return html`<p class="muted">…</p>`;
  return html`<p class="muted">in ${share(data.there, data.total)} of ${count(data.total)} lines</p>
    <ul class="values">${data.top.map(({ value, count: n }) => html`<li key=${value}>
      <span class="mono" title=${String(value)}>${String(value)}</span><span class="muted">${share(n, data.total)}</span>
      <button class="quiet icon" aria-label=${`Only ${field.name} ${value}`} onClick=${() => add({ field: field.name, value })}>+</button>
      <button class="quiet icon" aria-label=${`Without ${field.name} ${value}`} onClick=${() => add({ field: field.name, value, not: true })}>−</button>
    </li>`)}</ul>`;
}
