// The queries that were run last; the browser keeps them.

import { HISTORY_MAX } from "../limits.js";

const KEY = "larder-history";

/** @returns {{kind: string, params: object, at: number}[]} the newest first */
export function history() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

export function remember(kind, params) {
  const same = (one) => one.kind === kind && JSON.stringify(one.params) === JSON.stringify(params);
  const all = [{ kind, params, at: Date.now() }, ...history().filter((one) => !same(one))].slice(0, HISTORY_MAX);
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // A browser that keeps nothing has no history.
  }
}
