// The queries that were run last; the browser keeps them.

import { stored, store } from "../lib/stored.js";
import { HISTORY_MAX } from "../limits.js";

const KEY = "larder-history";

/** @returns {{kind: string, params: object, at: number}[]} the newest first */
export const history = () => stored(KEY, []);

export function remember(kind, params) {
  const same = (one) => one.kind === kind && JSON.stringify(one.params) === JSON.stringify(params);
  store(KEY, [{ kind, params, at: Date.now() }, ...history().filter((one) => !same(one))].slice(0, HISTORY_MAX));
}
