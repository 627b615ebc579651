// Times: always 24 hours, in local time or UTC.

import { settings } from "../state/settings.js";

const two = (n) => String(n).padStart(2, "0");

/** A year as ISO 8601 has it: of four digits, or of six with a sign. @param {number} year */
const yearText = (year) => (year >= 0 && year <= 9999 ? String(year).padStart(4, "0") : `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`);

/** `2026-11-22 20:15:03.412`. @param {number} ms @param {boolean} [utc] */
export function stamp(ms, utc = settings.value.utc) {
  const d = new Date(ms);
  if (Number.isNaN(d.getTime())) return "invalid date";
  if (utc) return d.toISOString().replace("T", " ").replace("Z", "");
  const clock = `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}.${String(d.getMilliseconds()).padStart(3, "0")}`;
  return `${yearText(d.getFullYear())}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${clock}`;
}

/** A label for an axis whose ticks are this far apart. */
export function tick(ms, step) {
  const [day, clock] = stamp(ms).split(" ");
  if (step >= 231 * 86_400_000) return day.slice(0, -3);
  if (step >= 86_400_000) return day.slice(-5);
  if (step >= 60_000) return clock.startsWith("00:00") ? day.slice(-5) : clock.slice(0, 5);
  return clock.slice(0, 8);
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5, 1728e5, 6048e5, 12096e5, 26784e5, 80352e5, 315576e5];

/** The smallest nice step that needs no more than `most` of them; years where the last is not enough. @param {number} range @param {number} most */
export function niceStep(range, most) {
  return STEPS.find((step) => range / step <= most) ?? STEPS.at(-1) * Math.ceil(range / most / STEPS.at(-1));
}

/** `3 min ago`. */
export function ago(ms, now = Date.now()) {
  const s = Math.round((now - ms) / 1000);
  if (s < 2) return "now";
  if (s < 120) return `${s} s ago`;
  if (s < 7200) return `${Math.round(s / 60)} min ago`;
  if (s < 172_800) return `${Math.round(s / 3600)} h ago`;
  return `${Math.round(s / 86_400)} d ago`;
}

/** For a field in which a time is written, and back; NaN where it is none. */
export const toInput = (ms) => stamp(ms).replace(/\.\d+$/, "");
export function fromInput(text) {
  const found = /^\s*((?:\d{4}|[+-]\d{6})-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?\s*$/.exec(text);
  return found ? Date.parse(`${found[1]}T${found[2] ?? "00:00"}${settings.value.utc ? "Z" : ""}`) : NaN;
}
