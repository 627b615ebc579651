// Boards: documents with graphs in them.

import { html } from "../../lib/html.js";
import { SaveAs } from "../../parts/kept.js";
import { go, link } from "../../state/route.js";
import { useResource } from "../../state/resource.js";
import { keep, saved } from "../../state/saved.js";

const GRAPHS_MAX = 24;

export function Boards() {
  const { data } = useResource((signal) => saved("boards", signal), []);
  if (!data?.length) return null;
  return html`<section class="view boards-list" aria-label="Boards"><h2>Boards</h2>
    <div class="cards tiles">${data.map((board) => html`<a class="card tile choice" key=${board.name} href=${link(["board", board.name])}><span class="name">${board.name}</span><span class="muted">${(board.graphs ?? []).length} graphs</span></a>`)}</div></section>`;
}

/** Puts a graph on a board, which is made where there is none of this name. */
export function AddToBoard({ spec, close }) {
  const { data } = useResource((signal) => saved("boards", signal), []);
  const add = async (name) => {
    const known = (await saved("boards")).find((board) => board.name === name);
    const graphs = known?.graphs ?? [];
    if (graphs.length >= GRAPHS_MAX) throw new Error(`A board has at most ${GRAPHS_MAX} graphs.`);
    await keep("boards", name, { graphs: [...graphs, spec] }, known?.version);
    go(["board", name]);
  };
  return html`<${SaveAs} title="Add to a board" action="Add" label="Board" list="boards" run=${add} close=${close}>
    <datalist id="boards">${(data ?? []).map(({ name }) => html`<option key=${name} value=${name}></option>`)}</datalist>
  <//>`;
}
