// One document: its fields and its JSON, edited without losing a type.

import { html, useEffect, useRef, useState } from "../../lib/html.js";
import { changes } from "../../lib/changes.js";
import { hasIndexNames, number, print, same } from "../../lib/ejson.js";
import { command, parts } from "../../lib/http.js";
import { parse, parseDocument } from "../../lib/shell.js";
import { Confirm } from "../../parts/dialog.js";
import { Asked, Copy, Tabs } from "../../parts/panel.js";
import { listOf, refine } from "../../state/route.js";
import { useResource, useUnsaved } from "../../state/resource.js";
import { whyNotWrite } from "../../state/session.js";
import { Fields } from "./fields.js";
import { Insert } from "./insert.js";
import { Meanwhile } from "./meanwhile.js";
import { Conflicts, History } from "./revisions.js";

async function read(name, id, signal) {
  const [database, collection] = parts(name);
  const { cursor } = await command(database, { find: collection, filter: { _id: { $eq: parse(id) } }, limit: 1, singleBatch: true }, { signal });
  if (!cursor.firstBatch.length) throw new Error("There is no document of this _id any more.");
  return cursor.firstBatch[0];
}

export function DocumentView({ name, id, params }) {
  const { data: saved, error, loading, reload } = useResource((signal) => read(name, id, signal), [name, id]);
  const [draft, setDraft] = useState(null);
  const [text, setText] = useState(null);
  const [told, setTold] = useState({});
  const [dialog, setDialog] = useState(null);
  const sent = useRef(null);
  const isSaving = useRef(false);
  useEffect(() => {
    if (!saved) return;
    const before = sent.current;
    sent.current = null;
    // What was typed after a save was sent stays.
    setDraft((now) => (before && now !== before.draft ? now : saved));
    setText((now) => (before && now !== before.text ? now : null));
  }, [saved]);
  const tab = params.tab ?? "fields";
  const [database, collection] = parts(name);
  const why = whyNotWrite(database);
  const unsure = saved && hasIndexNames(saved);
  const isChanged = saved && draft && (text !== null || !isSame(saved, draft));
  useUnsaved(isChanged);

  const current = () => (text === null ? draft : parseDocument(text));
  const choose = (next) => {
    try {
      setDraft(current());
      setText(null);
      setTold({});
      refine({ tab: next === "fields" ? undefined : next });
    } catch (failed) {
      setTold({ error: failed.message });
    }
  };
  const save = async (base = saved, merged = undefined) => {
    // What is sent twice at once would be changed meanwhile by itself.
    if (!saved || why || unsure || isSaving.current) return;
    const wrong = document.querySelector(".fields :invalid");
    if (wrong && text === null && !merged) return wrong.reportValidity();
    isSaving.current = true;
    try {
      const wanted = merged ?? current();
      const change = changes(base, wanted);
      if (!change) {
        setTold({ done: "Nothing has changed." });
        return merged && reload();
      }
      const reply = await command(database, { update: collection, updates: [{ q: change.filter, u: change.update }] });
      if (number(reply.n) === 1) {
        setTold({ done: `Saved: ${Object.values(change.update).flatMap(Object.keys).join(", ")}.` });
        sent.current = merged ? null : { draft, text };
        return reload();
      }
      setDraft(wanted);
      setText(null);
      setTold({ theirs: await read(name, id) });
    } catch (failed) {
      setTold({ error: failed.message });
    } finally {
      isSaving.current = false;
    }
  };
  const onKey = (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      save();
    }
  };
  const toList = () => (location.hash = listOf(["docs", name]));
  const remove = async () => {
    await command(database, { delete: collection, deletes: [{ q: { _id: { $eq: saved._id } }, limit: 1 }] });
    toList();
  };

  return html`<section class="view" onKeyDown=${onKey}>
    <div class="head">
      <h1><a class="up" href=${listOf(["docs", name])}>${name}</a> / <span class="mono">${id}</span></h1>
      <span class="grow"></span>
      <${Tabs} label="Form" now=${tab} choose=${choose} tabs=${[["fields", "Fields"], ["json", "JSON"], ["conflicts", "Conflicts"], ["history", "History"]]} />
      <${Copy} text=${() => print(current(), "  ")} label="Copy JSON" />
      <button onClick=${() => setDialog("duplicate")} title=${why} disabled=${!saved || why}>Duplicate</button>
      <button class="danger" onClick=${() => setDialog("delete")} title=${why} disabled=${!saved || why}>Delete</button>
      <button class="primary" data-run onClick=${() => save()} title=${why} disabled=${!isChanged || unsure || why}>Save</button>
    </div>
    <${Asked} loading=${loading} error=${error} reload=${reload} />
    ${unsure && html`<p class="note">This document has names that are numbers, whose order a browser does not keep: it is shown, and not edited here.</p>`}
    <p role="status" class=${told.done ? "good" : "hidden"}>${told.done}</p>
    ${told.error && html`<p class="failure" role="alert">${told.error}</p>`}
    ${told.theirs && html`<${Meanwhile} before=${saved} mine=${draft} theirs=${told.theirs} save=${(merged) => save(told.theirs, merged)} takeTheirs=${() => { setTold({}); reload(); }} />`}
    ${saved && tab === "conflicts" && html`<${Conflicts} name=${name} id=${saved._id} changed=${reload} />`}
    ${saved && tab === "history" && html`<${History} name=${name} id=${saved._id} key=${JSON.stringify(saved)} />`}
    ${draft && !told.theirs && ["fields", "json"].includes(tab) && (tab === "json"
      ? html`<textarea class="editor" aria-label="The document" spellcheck=${false} readonly=${unsure} value=${text ?? print(draft, "  ")} onInput=${(event) => setText(event.target.value)}></textarea>`
      : html`<${Fields} document=${draft} change=${unsure ? undefined : setDraft} />`)}
    ${dialog === "delete" && html`<${Confirm} title="Delete a document" text=${`The document ${id} of ${name} will be gone.`} action="Delete" run=${remove} close=${() => setDialog(null)} />`}
    ${dialog === "duplicate" && html`<${Insert} name=${name} begin=${withoutId(draft)} close=${() => setDialog(null)} done=${toList} />`}
  </section>`;
}

const withoutId = ({ _id, ...rest }) => rest;

/** Field by field, because what was not touched is the same object: a large document is not compared at each key. */
function isSame(before, after) {
  const [names, others] = [Object.keys(before), Object.keys(after)];
  return names.length === others.length && names.every((name, at) => name === others[at] && same(before[name], after[name]));
}
