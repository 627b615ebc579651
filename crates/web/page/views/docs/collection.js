// One collection: its documents, its indexes.

import { html, useState } from "../../lib/html.js";
import { get, parts } from "../../lib/http.js";
import { bytes, count } from "../../lib/number.js";
import { Tabs } from "../../parts/panel.js";
import { ImportDialog } from "../../parts/import.js";
import { go, link } from "../../state/route.js";
import { useResource } from "../../state/resource.js";
import { whyNotWrite } from "../../state/session.js";
import { Found } from "./found.js";
import { Indexes } from "./indexes.js";
import { Insert } from "./insert.js";

export function Collection({ name, params }) {
  const { data, reload } = useResource((signal) => get("/api/collections", signal), [name]);
  const [dialog, setDialog] = useState(null);
  const [round, setRound] = useState(0);
  const one = data?.collections.find((known) => known.name === name);
  const why = whyNotWrite(parts(name)[0]);
  const changed = () => {
    setDialog(null);
    setRound((n) => n + 1);
    reload();
  };
  return html`<section class="view">
    <div class="head">
      <h1><a class="up" href="#/docs">Documents</a> / ${name}</h1>
      <span class="muted">${one && (one.view ? "a view" : `${count(one.documents)} documents · ${bytes(one.bytes)}`)}</span>
      <span class="grow"></span>
      <${Tabs} label="What is shown" now=${params.tab ?? "documents"} choose=${(tab) => go(["docs", name], tab === "documents" ? {} : { tab })} tabs=${[["documents", "Documents"], ["indexes", "Indexes"]]} />
      <a class="button" href=${link(["logs", name])}>Logs</a>
      <button disabled=${Boolean(why)} title=${why} onClick=${() => setDialog("import")}>Import</button>
      <button class="primary" disabled=${Boolean(why)} title=${why} onClick=${() => setDialog("insert")}>New</button>
    </div>
    ${params.tab === "indexes" ? html`<${Indexes} name=${name} sizes=${one?.indexes ?? []} />` : html`<${Found} name=${name} params=${params} total=${one?.documents} key=${round} />`}
    ${dialog === "insert" && html`<${Insert} name=${name} close=${() => setDialog(null)} done=${changed} />`}
    ${dialog === "import" && html`<${ImportDialog} target=${name} close=${changed} />`}
  </section>`;
}
