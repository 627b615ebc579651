// Somebody else has changed what is being saved: as it was, mine and theirs stand side by side, and nothing is overwritten unasked.

import { html, useState } from "../../lib/html.js";
import { brief, own, print, same } from "../../lib/ejson.js";

const told = (value) => (value === undefined ? "missing" : brief(value, 200));

/**
 * Fields that only one has changed are taken from whom changed them; of those that both have, one is chosen.
 * @param {{before: object, mine: object, theirs: object, save: (merged: object) => void, takeTheirs: () => void}} props
 */
export function Meanwhile({ before, mine, theirs, save, takeTheirs }) {
  const [taken, setTaken] = useState({});
  const names = [...new Set([theirs, mine, before].flatMap(Object.keys))];
  const different = names.filter((name) => !same(own(mine, name), own(theirs, name)));
  const sideOf = (name) => own(taken, name) ?? (same(own(before, name), own(mine, name)) ? "theirs" : "mine");
  const sides = { mine, theirs };
  const merged = Object.fromEntries(names.map((name) => [name, own(sides[sideOf(name)], name)]).filter(([, value]) => value !== undefined));
  const choice = (name, side) => html`<td class="mono"><label class="check" title=${own(sides[side], name) === undefined ? "missing" : print(own(sides[side], name), "  ")}><input type="radio" name=${`take-${name}`} checked=${sideOf(name) === side} onChange=${() => setTaken({ ...taken, [name]: side })} aria-label=${`${name}: ${side}`} /> ${told(own(sides[side], name))}</label></td>`;
  return html`<div class="note" role="alert">
    <h2>Changed meanwhile</h2>
    <p>What you changed was changed elsewhere as well. Nothing was saved.</p>
    <div class="scroll"><table class="rows">
      <thead><tr><th>Field</th><th>Before</th><th>Mine</th><th>Theirs</th></tr></thead>
      <tbody>${different.map((name) => html`<tr key=${name}><th scope="row" class="mono">${name}</th><td class="mono muted">${told(own(before, name))}</td>${choice(name, "mine")}${choice(name, "theirs")}</tr>`)}</tbody>
    </table></div>
    <p class="actions"><button onClick=${takeTheirs}>Take theirs</button><button class="primary" onClick=${() => save(merged)}>Save merged</button></p>
  </div>`;
}
