// The bar on top; on a phone its views are at the bottom. index.html has its brand and its views too, so that they are painted at once.

import { html } from "../lib/html.js";
import { ask } from "../lib/http.js";
import { change, settings, zoneName } from "../state/settings.js";
import { offline, refresh } from "../state/session.js";
import { useSignal } from "../state/signal.js";
import { helpIsOpen } from "./keys.js";

const VIEWS = [["logs", "Logs"], ["graphs", "Graphs"], ["docs", "Documents"], ["query", "Queries"], ["files", "Files"], ["server", "Server"]];
const THEMES = { system: "dark", dark: "light", light: "system" };
const THEME_MARKS = { system: "◐", dark: "☾", light: "☀" };

export function Bar({ view, session }) {
  const { theme } = useSignal(settings);
  const why = useSignal(offline);
  // What was shown to one is not left on the screen for the next. Where it fails, the bar below says why.
  const signOut = () => ask("DELETE", "/api/session").then(() => location.reload(), refresh);
  return html`
    <header class="bar">
      <a class="brand" href="#/start" aria-current=${view === "start" ? "page" : undefined}><${Mark} />Larder</a>
      <nav aria-label="Views">
        ${VIEWS.map(([name, title]) => html`<a key=${name} href="#/${name}" aria-current=${view === name || (view === "board" && name === "graphs") ? "page" : undefined}>${title}</a>`)}
      </nav>
      <span class="grow"></span>
      <span class="host" title=${session ? `Larder ${session.version} on ${session.host}` : undefined}>
        <span class=${why ? "dot bad" : "dot good"} aria-hidden="true"></span>
        <span class="wide">${session?.host ?? "…"}</span><span class="hidden">${why ? " not connected" : " connected"}</span>
      </span>
      <button class="quiet wide" title="Times in local time or UTC (z)" onClick=${() => change({ utc: !settings.value.utc })}>${zoneName()}</button>
      <button class="quiet icon" title=${`Theme: ${theme}`} aria-label=${`Theme: ${theme}. Change`} onClick=${() => change({ theme: THEMES[theme] })}>${THEME_MARKS[theme]}</button>
      <button class="quiet icon" title="Keys and times (?)" aria-label="Keys and times" onClick=${() => (helpIsOpen.value = true)}>?</button>
      ${session?.user && html`<button class="quiet" title="Sign out" onClick=${signOut}>${session.user.name} ⏻</button>`}
    </header>`;
}

function Mark() {
  return html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><path d="M6 14h20M6 25h20" /><rect x="8" y="7" width="5" height="7" rx="1" /><rect x="16" y="9" width="8" height="5" rx="1" /><rect x="8" y="19" width="8" height="6" rx="1" /><rect x="19" y="18" width="5" height="7" rx="1" /></svg>`;
}
