// What the browser remembers: theme, zone, keys.

import { stored, store } from "../lib/stored.js";
import { signal } from "./signal.js";

const KEY = "larder-settings";

export const settings = signal({ theme: "system", utc: false, keys: true, ...stored(KEY, {}) });

export function change(changes) {
  settings.value = { ...settings.value, ...changes };
  store(KEY, settings.value);
}

/** Follows the theme on the root element, where the styles look for it. */
export function followTheme() {
  const apply = () => {
    const { theme } = settings.value;
    const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  };
  settings.follow(apply);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  apply();
}

export const zoneName = () => (settings.value.utc ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone || "local");
