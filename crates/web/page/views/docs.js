// Documents: collections, one collection, one document.

import { html } from "../lib/html.js";
import { whole } from "../lib/http.js";
import { Collections } from "./docs/collections.js";
import { Collection } from "./docs/collection.js";
import { DocumentView } from "./docs/document.js";

export default function Documents({ segments, params }) {
  const [, named, id] = segments;
  const name = named && whole(named);
  if (id) return html`<${DocumentView} name=${name} id=${id} params=${params} key=${name + id} />`;
  if (name) return html`<${Collection} name=${name} params=${params} key=${name} />`;
  return html`<${Collections} />`;
}
