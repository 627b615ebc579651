// Boards: documents with graphs in them.

import { html, useState } from "../../lib/html.js";
import { Dialog } from "../../parts/dialog.js";
import { go, link } from "../../state/route.js";
import { useResource } from "../../state/resource.js";
import { keep, saved } from "../../state/saved.js";

export const GRAPHS_MAX = 24;

export function Boards() {
  const { data } = useResource((signal) => saved("boards", signal), []);
  if (!data?.length) return null;
  return html`<section class="view boards-list" aria-label="Boards"><h2>Boards</h2>
    <div class="cards tiles">${data.map((board) => html`<a class="card tile choice" key=${board.name} href=${link(["board", board.name])}><span class="name">${board.name}</span><span class="muted">${(board.graphs ?? []).length} graphs</span></a>`)}</div></section>`;
}

/** Puts a graph on a board, which is made where there is none of this name. */
export function AddToBoard({ spec, close }) {
  const { data } = useResource((signal) => saved("boards", signal), []);
  const [error, setError] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    const name = new FormData(event.target).get("name").trim();
    try {
      const known = (await saved("boards")).find((board) => board.name === name);
      const graphs = known?.graphs ?? [];
      if (graphs.length >= GRAPHS_MAX) throw new Error(`A board has at most ${GRAPHS_MAX} graphs.`);
      await keep("boards", name, { graphs: [...graphs, spec] }, known?.version);
      go(["board", name]);
    } catch (failed) {
      setError(failed.message);
    }
  };
  return html`<${Dialog} title="Add to a board" close=${close}><form onSubmit=${submit}>
    <label>Board <input name="name" list="boards" required autocomplete="off" autofocus /></label>
    <datalist id="boards">${(data ?? []).map(({ name }) => html`<option key=${name} value=${name}></option>`)}</datalist>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <p class="actions"><button type="button" onClick=${close}>Cancel</button><button class="primary">Add</button></p>
  </form><//>`;
}
