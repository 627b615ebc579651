// What stands where data will be, is not, or could not be had.

import { html, useState } from "../lib/html.js";

/** The server's sentence, in the place of what it was asked for. */
export function Failure({ error, retry }) {
  return html`<div class="failure" role="alert">
    <p>${error.message}</p>
    ${retry && html`<p class="actions"><button onClick=${retry}>Retry</button></p>`}
  </div>`;
}

/** Why nothing is there, and what one can do about it. */
export function Empty({ children }) {
  return html`<div class="empty">${children}</div>`;
}

/** How what was asked for stands: a thin bar on top while it comes, the server's sentence where it does not. What is below stays. */
export function Asked({ loading, error, reload }) {
  return html`<div class=${loading ? "loading on" : "loading"} role="progressbar" aria-label="Loading" aria-hidden=${!loading}></div>
    ${error && html`<${Failure} error=${error} retry=${reload} />`}`;
}

/** Copies a text, or what a function makes of what stands there now. */
export function Copy({ text, label = "Copy" }) {
  const [told, setTold] = useState(null);
  const copy = async ({ currentTarget }) => {
    try {
      await toClipboard(typeof text === "function" ? text() : text, currentTarget);
      setTold("Copied");
    } catch (error) {
      setTold(`Not copied: ${error.message}`);
    }
    setTimeout(() => setTold(null), 1500);
  };
  return html`<button type="button" class="quiet" onClick=${copy}>${told ?? label}</button>`;
}

/** Without encryption browsers let a page copy only what is marked in it. */
async function toClipboard(text, button) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = Object.assign(document.createElement("textarea"), { value: text, className: "hidden" });
  button.after(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  button.focus();
  if (!isDone) throw new Error("the browser refuses");
}

/** @param {{label: string, tabs: [string, string][], now: string, choose: (name: string) => void}} props */
export function Tabs({ label, tabs, now, choose }) {
  return html`<div class="tabs" role="group" aria-label=${label}>
    ${tabs.map(([name, title]) => html`<button key=${name} aria-pressed=${name === now} onClick=${() => choose(name)}>${title}</button>`)}
  </div>`;
}
