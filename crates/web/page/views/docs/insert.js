// A new document.

import { html } from "../../lib/html.js";
import { print } from "../../lib/ejson.js";
import { command, parts } from "../../lib/http.js";
import { parseDocument } from "../../lib/shell.js";
import { FormDialog } from "../../parts/dialog.js";

export function Insert({ name, begin, close, done }) {
  const [database, collection] = parts(name);
  const run = async ({ text }) => {
    await command(database, { insert: collection, documents: [parseDocument(text)] });
    done();
  };
  return html`<${FormDialog} title=${`New document in ${name}`} action="Insert" run=${run} close=${close} wide>
    <p class="muted">JSON, with literals for all types: <code>ObjectId("…")</code> <code>ISODate("2026-01-31T12:00:00Z")</code> <code>NumberLong("7")</code> <code>NumberDecimal("0.10")</code> <code>BinData(0, "…")</code> <code>UUID("…")</code> <code>/regex/i</code></p>
    <textarea class="editor" name="text" aria-label="The document" spellcheck=${false} rows="14" defaultValue=${begin ? print(begin, "  ") : "{\n  \n}"} autofocus></textarea>
  <//>`;
}
