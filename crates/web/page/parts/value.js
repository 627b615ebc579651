// One value in a colour of its type, cut to what a line holds.

import { html } from "../lib/html.js";
import { brief, typeOf } from "../lib/ejson.js";

export function Value({ value, most = 80 }) {
  const type = typeOf(value);
  return html`<span class=${`value t-${type}`} title=${type}>${brief(value, most)}</span>`;
}
