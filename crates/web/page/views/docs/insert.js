// A new document.

import { html, useState } from "../../lib/html.js";
import { print } from "../../lib/ejson.js";
import { command, parts } from "../../lib/http.js";
import { parseDocument } from "../../lib/shell.js";
import { Dialog } from "../../parts/dialog.js";

export function Insert({ name, begin, close, done }) {
  const [text, setText] = useState(begin ? print(begin, "  ") : "{\n  \n}");
  const [error, setError] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    const [database, collection] = parts(name);
    try {
      await command(database, { insert: collection, documents: [parseDocument(text)] });
      done();
    } catch (failed) {
      setError(failed.message);
    }
  };
  return html`<${Dialog} title=${`New document in ${name}`} close=${close} wide>
    <form onSubmit=${submit}>
      <p class="muted">JSON, with literals for all types: <code>ObjectId("…")</code> <code>ISODate("2026-01-31T12:00:00Z")</code> <code>NumberLong("7")</code> <code>NumberDecimal("0.10")</code> <code>BinData(0, "…")</code> <code>UUID("…")</code> <code>/regex/i</code></p>
      <textarea class="editor" aria-label="The document" aria-invalid=${Boolean(error)} spellcheck=${false} rows="14" value=${text} onInput=${(event) => setText(event.target.value)} autofocus></textarea>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      <p class="actions"><button type="button" onClick=${close}>Cancel</button><button class="primary" data-run>Insert</button></p>
    </form>
  <//>`;
}
