// What a view has asked for: old data stays while new is loaded, and a request that nobody waits for is ended.

import { useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { pause } from "../lib/http.js";
import { unsaved } from "./route.js";
import { mustSignIn, offline, session } from "./session.js";
import { useSignal } from "./signal.js";

/** Tries again what had no answer, or was refused for want of a sign-in, when there is one. */
export function useAgain(error, again) {
  const [now, why] = [useSignal(session), useSignal(offline)];
  const isReady = !mustSignIn(now) && !why;
  const was = useRef(isReady);
  useEffect(() => {
    if (isReady && !was.current && [0, 401].includes(error?.status)) again();
    was.current = isReady;
  }, [isReady, error]);
}

/**
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {unknown[]} inputs
 * @param {number} [every] asks again so many ms after each answer, while somebody looks
 * @returns {{data?: T, error?: Error, loading: boolean, reload: () => void}} `loading` is not told of what is only asked again
 */
export function useResource(load, inputs, every = 0) {
  const [state, setState] = useState({ data: undefined, error: undefined, loading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const isQuiet = useRef(false);
  const reload = () => setRound((n) => n + 1);
  // Not after the next frame: what one asks is often there before it.
  useLayoutEffect(() => {
    const abort = new AbortController();
    const quiet = isQuiet.current;
    isQuiet.current = false;
    setState((before) => ({ ...before, loading: true, quiet }));
    latest.current(abort.signal).then(
      (data) => !abort.signal.aborted && setState({ data, error: undefined, loading: false }),
      (error) => !abort.signal.aborted && setState((before) => ({ ...before, error, loading: false })),
    );
    return () => abort.abort();
  }, [...inputs, round]);
  // Not at a fixed pace, which would end each request that takes longer by the next.
  useEffect(() => {
    if (!every || state.loading || [401, 403].includes(state.error?.status)) return;
    const timer = setInterval(() => {
      if (document.hidden) return;
      isQuiet.current = true;
      reload();
    }, every);
    return () => clearInterval(timer);
  }, [every, state]);
  useAgain(state.error, reload);
  return { ...state, loading: state.loading && !state.quiet, reload };
}

/**
 * What stands in for an answer that takes long: asked for where that has not come after so many ms, and null when it has.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {string} key what is asked
 * @returns {T | null}
 */
export function useMeanwhile(load, key, isThere, ms) {
  const latest = useRef(isThere);
  latest.current = isThere;
  const { data } = useResource(async (signal) => {
    await pause(ms, signal);
    return { key, found: latest.current ? null : await load(signal) };
  }, [key]);
  return !isThere && data?.key === key ? data.found : null;
}

/**
 * What is asked by hand, and only the last of it counts.
 * @returns {[object, (work: (signal: AbortSignal) => Promise<object>) => Promise<void>]} `{loading, error, ms}` and what the work gave
 */
export function useRun() {
  const [state, setState] = useState({});
  const running = useRef(null);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (work) => {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    setState((before) => ({ ...before, loading: true, error: null }));
    const begun = performance.now();
    try {
      const found = await work(signal);
      if (!signal.aborted) setState({ ...found, ms: performance.now() - begun });
    } catch (error) {
      if (!signal.aborted) setState((before) => ({ ...before, loading: false, error }));
    }
  };
  return [state, run];
}

/** Asks before what is not saved, or not done, is lost: the browser does when the page is left, the page when the view is. */
export function useUnsaved(isUnsaved) {
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const ask = (event) => event.preventDefault();
    unsaved.add(ask);
    addEventListener("beforeunload", ask);
    return () => {
      unsaved.delete(ask);
      removeEventListener("beforeunload", ask);
    };
  }, [Boolean(isUnsaved)]);
}
