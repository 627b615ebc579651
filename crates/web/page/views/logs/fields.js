// The fields of the lines: what values they have, to be filtered by. Those of an opened field are counted at once.

import { html, useState } from "../../lib/html.js";
import { count, share } from "../../lib/number.js";
import { scalar } from "../../lib/ejson.js";
import { useResource } from "../../state/resource.js";
import { AddFilter } from "./details.js";
import { values } from "./search.js";

const FIELDS_MAX = 200;
/** Fields that are open from the beginning, of those that lines are usually told apart by. */
const OPEN = ["level", "severity", "device", "host", "app", "program", "unit", "service", "logger", "source", "file", "status"];
const OPEN_MAX = 3;

export function FieldList({ name, query, shape, add, columns, toggleColumn }) {
  const [find, setFind] = useState("");
  const begin = OPEN.filter((one) => shape.fields.some((field) => field.name === one && field.exact)).slice(0, OPEN_MAX);
  const matching = shape.fields.filter((field) => field.name.toLowerCase().includes(find.toLowerCase()) && field.name !== shape.time);
  const shown = matching.slice(0, FIELDS_MAX);
  return html`<aside class="field-list" aria-label="Fields">
    <input type="search" placeholder="Find a field" aria-label="Find a field" value=${find} onInput=${(event) => setFind(event.target.value)} />
    ${shown.map((field) => html`<${Field} key=${field.name} field=${field} begins=${begin.includes(field.name)} name=${name} query=${query} add=${add} isColumn=${columns.includes(field.name)} toggleColumn=${toggleColumn} />`)}
    ${matching.length > shown.length && html`<p class="muted">${count(matching.length - shown.length)} more: find them by name.</p>`}
  </aside>`;
}

function Field({ field, begins, name, query, add, isColumn, toggleColumn }) {
  const [isOpen, setOpen] = useState(begins);
  return html`<details open=${isOpen} onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary><span class="mono">${field.name}</span> <small class="muted">${field.type}</small></summary>
    ${isOpen && html`${field.exact ? html`<${Values} name=${name} query=${query} field=${field} add=${add} />` : html`<p class="muted">Text without exact values: search it by the query.</p>`}
      <button class="quiet" aria-pressed=${isColumn} onClick=${() => toggleColumn(field.name)}>${isColumn ? "Remove column" : "Show as column"}</button>`}
  </details>`;
}

function Values({ name, query, field, add }) {
  const { data, error } = useResource((signal) => values(name, query, field, signal), [name, JSON.stringify(query), field.name]);
  if (error?.body?.error?.type === "too_many_buckets_exception") return html`<p class="muted">It has more different values than can be counted: find one by the query.</p>`;
  if (error) return html`<p class="error">${error.message}</p>`;
  if (!data) return html`<p class="muted">…</p>`;
  return html`<p class="muted">in ${share(data.there, data.total)} of ${count(data.total)} lines</p>
    <ul class="values">${data.top.map(({ value, count: n }) => html`<li key=${scalar(value)}>
      <span class="mono" title=${scalar(value)}>${String(scalar(value))}</span><span class="muted">${share(n, data.total)}</span>
      <${AddFilter} field=${field.name} value=${value} add=${add} />
      <meter max=${data.total || 1} value=${n} aria-hidden="true"></meter>
    </li>`)}</ul>`;
}
