// The button by which a view follows what comes.

import { html } from "../lib/html.js";
import { refine } from "../state/route.js";

/** @param {{isLive: boolean, rate?: string}} props */
export function Live({ isLive, rate = "" }) {
  return html`<button data-live aria-pressed=${isLive} onClick=${() => refine({ live: isLive ? undefined : 1 })}>${isLive ? `● Live${rate}` : "○ Live"}</button>`;
}
