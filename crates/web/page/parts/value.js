// One value in a cell of a table: in a colour of its type, cut to what a line holds.

import { html } from "../lib/html.js";
import { brief, typeOf } from "../lib/ejson.js";

const MOST = 80;

/** @param {{value: unknown, link?: string}} props a value that is missing is undefined */
export function Cell({ value, link }) {
  if (value === undefined && !link) return html`<td title="missing"></td>`;
  const type = typeOf(value ?? null);
  const text = brief(value ?? null, MOST);
  return html`<td class=${`t-${type}`} title=${type}>${link ? html`<a href=${link}>${text || '""'}</a>` : text}</td>`;
}
