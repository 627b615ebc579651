// Files: buckets, and what is in one.

import { html } from "../lib/html.js";
import { Bucket } from "./files/bucket.js";
import { Buckets } from "./files/buckets.js";

export default function Files({ segments, params }) {
  const [, bucket] = segments;
  return bucket ? html`<${Bucket} bucket=${bucket} params=${params} key=${bucket} />` : html`<${Buckets} />`;
}
