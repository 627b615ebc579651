// Dialogs: the browser's own, which keep the focus within and give it back; and forms, in them or elsewhere.

import { html, useEffect, useRef, useState } from "../lib/html.js";

/** Without `close` it stays until something else ends it. */
export function Dialog({ title, close, children, wide }) {
  const element = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    return () => before?.focus?.();
  }, []);
  const cancel = (event) => {
    // One who chooses no file after all leaves the browser's list of files, not this.
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    close?.();
  };
  // Chromium closes a dialog by the second Esc whatever one says to the first.
  const closed = () => (close ? close() : element.current?.showModal());
  return html`
    <dialog ref=${element} class=${wide ? "wide-dialog" : undefined} aria-label=${title} onCancel=${cancel} onClose=${closed}>
      <header><h2>${title}</h2><span class="grow"></span>${close && html`<button class="quiet icon" aria-label="Close" onClick=${close}>✕</button>`}</header>
      ${children}
    </dialog>`;
}

/**
 * Fields with a deed: it is done once however often one clicks, and what it was refused for stands below the fields.
 * @param {{action: string, busy?: string, run: (given: Record<string, string>, form: HTMLFormElement) => Promise<void>, close?: () => void}} props
 */
export function Form({ action, busy = action, danger, disabled, run, close, children, ...rest }) {
  const [state, setState] = useState({});
  const submit = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    setState({ isBusy: true });
    try {
      await run(Object.fromEntries(new FormData(form)), form);
      setState({});
    } catch (error) {
      setState({ error });
    }
  };
  return html`<form ...${rest} onSubmit=${submit}>
    ${children}
    ${state.error && html`<p class="error" role="alert">${state.error.message}</p>`}
    <p class="actions">${close && html`<button type="button" onClick=${close}>Cancel</button>`}<button class=${danger ? "danger" : "primary"} data-run disabled=${disabled || state.isBusy}>${state.isBusy ? busy : action}</button></p>
  </form>`;
}

/** A form in a dialog, which ends with its deed. */
export function FormDialog({ title, wide, run, close, ...form }) {
  const done = async (given) => {
    await run(given);
    close();
  };
  return html`<${Dialog} title=${title} close=${close} wide=${wide}><${Form} ...${form} run=${done} close=${close} /><//>`;
}

/** Asks before something is lost; where `typed` is given, its name has to be typed. */
export function Confirm({ text, typed, ...rest }) {
  const [given, setGiven] = useState("");
  return html`<${FormDialog} ...${rest} danger disabled=${typed && given !== typed}>
    <p>${text}</p>
    ${typed && html`<label>Type <strong>${typed}</strong> to go on <input value=${given} onInput=${(event) => setGiven(event.target.value)} autofocus /></label>`}
  <//>`;
}
