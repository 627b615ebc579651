// What a view has asked for: old data stays while new is loaded, and a request that nobody waits for is ended.

import { useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { session } from "./session.js";
import { useSignal } from "./signal.js";

/**
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {unknown[]} inputs
 * @returns {{data?: T, error?: Error, loading: boolean, reload: () => void}}
 */
export function useResource(load, inputs) {
  const [state, setState] = useState({ data: undefined, error: undefined, loading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  // Not after the next frame: what one asks is often there before it.
  useLayoutEffect(() => {
    const abort = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    latest.current(abort.signal).then(
      (data) => !abort.signal.aborted && setState({ data, error: undefined, loading: false }),
      (error) => !abort.signal.aborted && setState((before) => ({ ...before, error, loading: false })),
    );
    return () => abort.abort();
  }, [...inputs, round]);
  // What was refused for want of a sign-in is asked again after it.
  const who = useSignal(session)?.user?.name;
  useEffect(() => {
    if (who && state.error?.status === 401) setRound((n) => n + 1);
  }, [who]);
  return { ...state, reload: () => setRound((n) => n + 1) };
}
