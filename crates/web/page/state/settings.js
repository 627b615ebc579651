// What the browser remembers: theme, zone, keys.

import { signal } from "./signal.js";

const KEY = "larder-settings";

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

export const settings = signal({ theme: "system", utc: false, keys: true, ...read() });

export function change(changes) {
  settings.value = { ...settings.value, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(settings.value));
  } catch {
    // A browser that keeps nothing forgets it with the tab.
  }
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
