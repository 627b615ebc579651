// Keys that work in every view, and the list of them.

import { html } from "../lib/html.js";
import { change, settings } from "../state/settings.js";
import { go } from "../state/route.js";
import { signal, useSignal } from "../state/signal.js";
import { Dialog } from "./dialog.js";

export const helpIsOpen = signal(false);

const VIEWS = { l: "logs", g: "graphs", d: "docs", q: "query", f: "files", s: "server", h: "start" };
const LIST = [
  ["/", "the query or filter"], ["Ctrl+Enter", "run"], ["Esc", "close, or back"], ["g then l g d q f s h", "a view: logs, graphs, documents, query, files, server, start"],
  ["z", "UTC or local time"], [".", "live or not"], ["↑ ↓ PageUp PageDown", "move in a list"], ["Enter", "open"], ["e / E", "next older or newer error"], ["c", "lines around one"], ["Ctrl+S", "save a document"], ["?", "this list"],
];

let isPrefixed = false;

/** A key that is meant for no text and no control. */
export const isFree = (event) => !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input, textarea, select, [contenteditable], dialog");

/** The same of a single letter, which one may switch off. */
export const isShortcut = (event) => settings.value.keys && isFree(event);

export function followKeys() {
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") run(event.target);
    if (!isShortcut(event)) return;
    if (isPrefixed && Object.hasOwn(VIEWS, event.key)) go([VIEWS[event.key]]);
    isPrefixed = event.key === "g" && !isPrefixed;
    if (event.key === "/") focusQuery(event);
    if (event.key === "z") change({ utc: !settings.value.utc });
    if (event.key === ".") document.querySelector("[data-live]")?.click();
    if (event.key === "?") helpIsOpen.value = true;
  });
}

/** The deed of the form or the dialog that one is in, or else of the view. */
function run(from) {
  const deed = from.closest("form")?.querySelector("[data-run]") ?? (from.closest("dialog") ?? document).querySelector("[data-run]");
  deed?.click();
}

function focusQuery(event) {
  const field = document.querySelector("[data-query]");
  if (!field) return;
  event.preventDefault();
  field.focus();
}

export function KeyHelp() {
  const isOpen = useSignal(helpIsOpen);
  const { keys, utc } = useSignal(settings);
  if (!isOpen) return null;
  return html`<${Dialog} title="Keys and times" close=${() => (helpIsOpen.value = false)}>
    <dl class="keys">${LIST.map(([key, what]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${keys} onChange=${(event) => change({ keys: event.target.checked })} /> Single letters work</label>
    <p><label class="check"><input type="checkbox" checked=${utc} onChange=${(event) => change({ utc: event.target.checked })} /> Times in UTC, not those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}</label></p>
  <//>`;
}
