// What stands where data will be, is not, or could not be had.

import { html, useState } from "../lib/html.js";

/** The server's sentence, in the place of what it was asked for. */
export function Failure({ error, retry, curl }) {
  return html`<div class="failure" role="alert">
    <p>${error.message}</p>
    <p class="actions">${retry && html`<button onClick=${retry}>Retry</button>`}${curl && html`<${Copy} text=${curl} label="Copy as curl" />`}</p>
  </div>`;
}

/** Why nothing is there, and what one can do about it. */
export function Empty({ children }) {
  return html`<div class="empty">${children}</div>`;
}

/** A thin bar on top; what is below it stays. */
export function Loading({ on }) {
  return html`<div class=${on ? "loading on" : "loading"} role="progressbar" aria-label="Loading" aria-hidden=${!on}></div>`;
}

export function Copy({ text, label = "Copy" }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return html`<button type="button" class="quiet" onClick=${copy}>${copied ? "Copied" : label}</button>`;
}

/** Tabs that are links or deeds. @param {{label: string, tabs: [string, string][], now: string, choose: (name: string) => void}} props */
export function Tabs({ label, tabs, now, choose }) {
  return html`<div class="tabs" role="group" aria-label=${label}>
    ${tabs.map(([name, title]) => html`<button key=${name} aria-pressed=${name === now} onClick=${() => choose(name)}>${title}</button>`)}
  </div>`;
}
