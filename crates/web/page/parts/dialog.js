// Dialogs: the browser's own, which keep the focus within and give it back.

import { html, useEffect, useRef, useState } from "../lib/html.js";

export function Dialog({ title, close, children, wide }) {
  const element = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`
    <dialog ref=${element} class=${wide ? "wide-dialog" : undefined} aria-label=${title} onCancel=${(event) => { event.preventDefault(); close(); }}>
      <header><h2>${title}</h2><span class="grow"></span><button class="quiet icon" aria-label="Close" onClick=${close}>✕</button></header>
      ${children}
    </dialog>`;
}

/** Asks before something is lost; where `typed` is given, its name has to be typed. */
export function Confirm({ title, text, typed, action, run, close }) {
  const [given, setGiven] = useState("");
  const [error, setError] = useState(null);
  const done = async (event) => {
    event.preventDefault();
    try {
      await run();
      close();
    } catch (failed) {
      setError(failed.message);
    }
  };
  return html`<${Dialog} title=${title} close=${close}>
    <form onSubmit=${done}>
      <p>${text}</p>
      ${typed && html`<label>Type <strong>${typed}</strong> to go on <input value=${given} onInput=${(event) => setGiven(event.target.value)} autofocus /></label>`}
      ${error && html`<p class="error" role="alert">${error}</p>`}
      <p class="actions"><button type="button" onClick=${close}>Cancel</button><button class="danger" disabled=${typed && given !== typed}>${action}</button></p>
    </form>
  <//>`;
}
