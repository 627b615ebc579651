// A value that components follow.

import { useLayoutEffect, useReducer } from "../lib/html.js";

/** @template T @param {T} value */
export function signal(value) {
  const followers = new Set();
  return {
    get value() {
      return value;
    },
    set value(next) {
      if (Object.is(next, value)) return;
      value = next;
      followers.forEach((tell) => tell());
    },
    follow(tell) {
      followers.add(tell);
      return () => followers.delete(tell);
    },
  };
}

/** The value, and a new rendering when it changes. */
export function useSignal(source) {
  const [, again] = useReducer((n) => n + 1, 0);
  const seen = source.value;
  useLayoutEffect(() => {
    if (!Object.is(seen, source.value)) again();
    return source.follow(again);
  }, [source]);
  return source.value;
}
