// Documents that a query gave: as a table or as JSON.

import { html, useState } from "../lib/html.js";
import { columnsOf, isNumeric, typesOf } from "../lib/columns.js";
import { own, print } from "../lib/ejson.js";
import { RESULTS_MAX } from "../limits.js";
import { Copy, Tabs } from "./panel.js";
import { Cell } from "./value.js";

export function Results({ documents, says }) {
  const [as, setAs] = useState("table");
  const shown = documents.slice(0, RESULTS_MAX);
  return html`<div class="results">
    <div class="row">
      <${Tabs} label="Form of the results" now=${as} choose=${setAs} tabs=${[["table", "Table"], ["json", "JSON"]]} />
      <span class="muted" role="status">${says}</span><span class="grow"></span>
      <${Copy} label="Copy JSON" text=${() => print(documents, "  ")} />
    </div>
    ${as === "json" ? html`<pre class="card" tabindex="0" role="region" aria-label="Results">${print(shown, "  ")}</pre>` : html`<${Table} documents=${shown} />`}
    ${documents.length > shown.length && html`<p class="muted">The first ${RESULTS_MAX.toLocaleString()} are shown.</p>`}
  </div>`;
}

export function Table({ documents, name = "Documents as a table" }) {
  const columns = columnsOf(documents);
  if (!documents.length) return html`<p class="muted">No document.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${name}><table class="rows documents plain">
    <thead><tr>${columns.map((column) => [column, typesOf(documents, column)]).map(([column, types]) => html`<th key=${column} class=${isNumeric(types) ? "num" : ""}>${column} <small>${types}</small></th>`)}</tr></thead>
    <tbody>${documents.map((document, at) => html`<tr key=${at}>${columns.map((column) => html`<${Cell} key=${column} value=${own(document, column)} />`)}</tr>`)}</tbody>
  </table></div>`;
}
