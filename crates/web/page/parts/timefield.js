// A time as text, always of 24 hours: a browser's own field goes by the language of the machine.

import { html } from "../lib/html.js";
import { fromInput } from "../lib/time.js";

/** Says in the field what is wrong with it, if anything. */
const check = ({ target }) => target.setCustomValidity(target.value && Number.isNaN(fromInput(target.value)) ? "A time is written 2026-11-22 20:15:03, or its beginning" : "");

/** @param {{label: string, name?: string, value: string, onChange?: (event: Event) => void}} props */
export function TimeField({ label, name, value, onChange }) {
  const change = (event) => {
    check(event);
    if (event.target.reportValidity()) onChange?.(event);
  };
  return html`<label>${label} <input class="mono time" name=${name} value=${value} placeholder="2026-11-22 20:15:03" autocomplete="off" spellcheck=${false} onInput=${check} onChange=${change} /></label>`;
}
