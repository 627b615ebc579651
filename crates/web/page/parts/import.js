// Files dropped or chosen: what each is, where it goes, how far it has come.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { brief, print } from "../lib/ejson.js";
import { detect, prepare, send } from "../lib/intake.js";
import { give } from "../lib/give.js";
import { bytes, count } from "../lib/number.js";
import { useUnsaved } from "../state/resource.js";
import { link } from "../state/route.js";
import { Dialog } from "./dialog.js";
import { Growing } from "./growing.js";

/** A place where files can be dropped, or chosen. */
export function Drop({ take, children }) {
  const [isOver, setOver] = useState(false);
  const input = useRef(null);
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer.files.length) take([...event.dataTransfer.files]);
  };
  return html`<div class=${isOver ? "drop over" : "drop"} onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    ${children}
    <input ref=${input} class="hidden" type="file" multiple tabindex="-1" aria-label="Files to import" onChange=${(event) => { take([...event.target.files]); event.target.value = ""; }} />
    <button class="primary" onClick=${() => input.current.click()}>Choose files</button>
  </div>`;
}

/** The import of some files: told first, then done. @param {{files: File[], target?: string, close: () => void}} props */
export function Import({ files, target, close }) {
  const [plans, setPlans] = useState([]);
  const [states, setStates] = useState({});
  const [phase, setPhase] = useState("detecting");
  const abort = useRef(new AbortController());
  useEffect(() => {
    Promise.all(files.map((file) => detect(file, target))).then((found) => {
      setPlans(found);
      setPhase("ready");
    });
  }, [files]);
  useEffect(() => () => abort.current.abort(), []);
  useUnsaved(phase === "running");

  const edit = (at, changes) => setPlans(plans.map((plan, place) => (place === at ? { ...plan, ...changes } : plan)));
  const run = async () => {
    setPhase("running");
    const prepared = new Set();
    for (const [at, plan] of plans.entries()) {
      if (!plan.isTicked) continue;
      const tell = (state) => setStates((before) => ({ ...before, [at]: { ...before[at], ...state } }));
      try {
        if (!prepared.has(plan.target)) await prepare(plan);
        prepared.add(plan.target);
        tell({ ...(await send(plan, tell, abort.current.signal)), isDone: true });
      } catch (error) {
        if (error.name === "AbortError") return;
        tell({ error: error.message });
      }
    }
    setPhase("done");
  };
  const totals = Object.values(states).reduce((sum, one) => ({ imported: sum.imported + (one.imported ?? 0), rejected: sum.rejected + (one.rejected ?? 0), rejects: [...sum.rejects, ...(one.rejects ?? [])] }), { imported: 0, rejected: 0, rejects: [] });
  const ticked = plans.filter((plan) => plan.isTicked);
  const arrived = new Set(plans.filter((_, at) => states[at]?.imported).map((plan) => plan.target));
  return html`<section class="import" aria-label="Import">
    <div class="head"><h2>${phase === "detecting" ? "Looking at the files …" : `${count(plans.length)} ${plans.length === 1 ? "file" : "files"}`}</h2>
      <span class="muted" role="status">${phase !== "ready" && phase !== "detecting" && `${count(totals.imported)} documents imported${totals.rejected ? `, ${count(totals.rejected)} rejected` : ""}${phase === "done" ? "." : " …"}`}</span>
      <span class="grow"></span>
      ${phase === "done" && html`<${Onward} plans=${ticked} rejects=${totals.rejects} />`}
      ${phase === "ready" && html`<button onClick=${close}>Cancel</button><button class="primary" data-run onClick=${run} disabled=${!ticked.length} autofocus>Import ${ticked.length === plans.length ? "all" : ticked.length}</button>`}
      ${phase === "running" && html`<button onClick=${() => { abort.current.abort(); setPhase("done"); }}>Stop</button>`}
    </div>
    ${phase === "running" || phase === "done" ? html`<${Growing} plans=${ticked.filter((plan) => arrived.has(plan.target))} isRunning=${phase === "running"} />` : null}
    <div class="scroll"><table class="rows plan">
      <thead><tr><th><span class="hidden">Import it</span></th><th>File</th><th class="num">Size</th><th>What it is</th><th>Into</th><th>First record, or progress</th></tr></thead>
      <tbody>${plans.map((plan, at) => html`<tr key=${at}>
        <td><input type="checkbox" aria-label=${`Import ${plan.file.name}`} checked=${plan.isTicked} disabled=${phase !== "ready"} onChange=${(event) => edit(at, { isTicked: event.target.checked })} /></td>
        <td>${plan.file.name}</td><td class="num nowrap">${bytes(plan.file.size)}</td><td>${plan.says}</td>
        <td>${phase === "ready" ? html`<input class="mono" aria-label=${`Collection for ${plan.file.name}`} value=${plan.target} pattern="[^.]+\\..+" onInput=${(event) => edit(at, { target: event.target.value })} />` : html`<a href=${link(["docs", plan.target])}>${plan.target}</a>`}</td>
        <td class="first">${states[at] ? html`<${Progress} state=${states[at]} size=${plan.file.size} />` : html`<code title=${plan.sample.map((one) => print(one)).join("\n")}>${plan.sample[0] ? brief(plan.sample[0], 110) : ""}</code>`}</td>
      </tr>`)}</tbody>
    </table></div>
  </section>`;
}

function Progress({ state, size }) {
  if (state.error) return html`<span class="error" role="alert">${state.error}</span>`;
  return html`<progress max=${size || 1} value=${state.bytes ?? 0} aria-label="Progress"></progress> ${count(state.imported ?? 0)}${state.rejected ? html` <span class="error">${count(state.rejected)} rejected</span>` : state.isDone ? html` <span class="good">✓</span>` : ""}`;
}

/** What one can look at now. */
function Onward({ plans, rejects }) {
  const readings = plans.find((plan) => plan.kind === "readings");
  const log = plans.find((plan) => plan.kind === "log");
  const save = () => give(new Blob(rejects.map((one) => `${JSON.stringify(one)}\n`)), "rejected.ndjson");
  return html`
    ${rejects.length > 0 && html`<button onClick=${save}>Rejected → file</button>`}
    ${readings && html`<a class="button primary" href=${link(["graphs", readings.target])}>Open graph</a>`}
    ${log && html`<a class="button primary" href=${link(["logs", log.target])}>Open logs</a>`}
    ${plans[0] && html`<a class="button primary" href=${link(["docs", plans[0].target])}>Open documents</a>`}`;
}

/** The same in a dialog, into one collection. */
export function ImportDialog({ target, close }) {
  const [files, setFiles] = useState(null);
  return html`<${Dialog} title=${`Import into ${target}`} close=${close} wide>
    ${files ? html`<${Import} files=${files} target=${target} close=${close} />` : html`<${Drop} take=${setFiles}><p>Drop CSV, NDJSON, JSON or log files here, plain or as .gz</p><//>`}
  <//>`;
}
