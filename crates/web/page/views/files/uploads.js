// Uploads under way into a bucket, and those that a reload interrupted.

import { html } from "../../lib/html.js";
import { bytes, share } from "../../lib/number.js";
import { useSignal } from "../../state/signal.js";
import { cancelUpload, finished, forgetInterrupted, interrupted, pauseUpload, resumeUpload, uploads } from "../../state/uploads.js";

export function Uploads({ bucket }) {
  const all = useSignal(uploads).filter((one) => one.bucket === bucket);
  useSignal(finished);
  const waiting = interrupted(bucket);
  return html`
    ${waiting.length > 0 && html`<div class="note"><p>${waiting.length} ${waiting.length === 1 ? "upload was" : "uploads were"} interrupted: drop the same ${waiting.length === 1 ? "file" : "files"} again to go on.</p>
      <ul class="plain-list">${waiting.map((one) => html`<li key=${one.key} class="row"><span>${one.name}</span><span class="muted">${bytes(one.size)}</span><button class="quiet" onClick=${() => forgetInterrupted(one)}>Forget it</button></li>`)}</ul></div>`}
    ${all.length > 0 && html`<ul class="uploads" aria-label="Uploads">${all.map((one) => html`<li key=${one.id}>
      <span class="name">${one.name}</span><progress max=${one.size || 1} value=${one.sent} aria-label=${`Upload of ${one.name}`}></progress>
      <span class="muted nowrap">${share(one.sent, one.size)} of ${bytes(one.size)}${one.state === "running" && one.rate > 0 ? ` · ${bytes(one.rate)}/s` : one.state === "running" ? "" : ` · ${one.state}`}</span>
      ${one.error && html`<span class="error" role="alert">${one.error}</span>`}
      ${one.state === "running" && html`<button class="quiet" onClick=${() => pauseUpload(one.id)}>Pause</button>`}
      ${["paused", "failed"].includes(one.state) && html`<button class="quiet" onClick=${() => resumeUpload(one.id)}>Go on</button>`}
      <button class="quiet icon" aria-label=${`Cancel the upload of ${one.name}`} onClick=${() => cancelUpload(one.id)}>✕</button>
    </li>`)}</ul>`}`;
}
