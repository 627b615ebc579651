// The indexes of a collection.

import { html, useState } from "../../lib/html.js";
import { print } from "../../lib/ejson.js";
import { command, parts } from "../../lib/http.js";
import { bytes } from "../../lib/number.js";
import { parseDocument } from "../../lib/shell.js";
import { indexName } from "../../lib/console.js";
import { Confirm, Form } from "../../parts/dialog.js";
import { Asked } from "../../parts/panel.js";
import { useResource } from "../../state/resource.js";
import { whyNotWrite } from "../../state/session.js";
import { parseSort } from "./found.js";

export function Indexes({ name, sizes }) {
  const [database, collection] = parts(name);
  const { data, error, loading, reload } = useResource((signal) => command(database, { listIndexes: collection }, { signal }), [name]);
  const [dropped, setDropped] = useState(null);
  const why = whyNotWrite(database);
  const indexes = data?.cursor.firstBatch ?? [];
  return html`
    <${Asked} loading=${loading} error=${error} reload=${reload} />
    <div class="scroll"><table class="rows">
      <thead><tr><th>Name</th><th>Key</th><th>Options</th><th class="num">On disk</th><th><span class="hidden">Deeds</span></th></tr></thead>
      <tbody>${indexes.map(({ name: index, key, v, ns, ...options }) => html`<tr key=${index}>
        <td class="mono">${index}</td><td class="mono">${print(key)}</td><td class="mono">${Object.keys(options).length ? print(options) : ""}</td>
        <td class="num">${bytes(sizes.find((known) => known.name === index)?.bytes ?? 0)}</td>
        <td class="num">${index !== "_id_" && html`<button class="quiet" disabled=${Boolean(why)} title=${why} onClick=${() => setDropped(index)} aria-label=${`Drop ${index}`}>Drop</button>`}</td>
      </tr>`)}</tbody>
    </table></div>
    <${NewIndex} why=${why} create=${async (index) => { await command(database, { createIndexes: collection, indexes: [index] }); reload(); }} />
    ${dropped && html`<${Confirm} title="Drop an index" text=${`${dropped} will be gone; queries that used it read the whole collection.`} action="Drop" close=${() => setDropped(null)} run=${async () => { await command(database, { dropIndexes: collection, index: dropped }); reload(); }} />`}`;
}

function NewIndex({ create, why }) {
  const run = async (given, form) => {
    const key = parseSort(given.key);
    await create({ key, name: indexName(key), ...(given.unique && { unique: true }), ...parseDocument(given.options) });
    form.reset();
  };
  return html`<${Form} class="query" action="Create index" busy="Building …" disabled=${Boolean(why)} title=${why} run=${run}>
    <label>Key <input name="key" class="mono" required placeholder="device, -at" spellcheck=${false} /></label>
    <label class="filter">Options <input name="options" class="mono" placeholder=${"{ expireAfterSeconds: 86400 }"} spellcheck=${false} /></label>
    <label class="check"><input type="checkbox" name="unique" /> unique</label>
  <//>`;
}
