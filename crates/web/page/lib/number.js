// Numbers as people read them.

const grouped = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** Exact up to 9,999,999, then millions or more. @param {number} n */
export function count(n) {
  if (Math.abs(n) < 1e7) return grouped.format(n);
  const [divisor, unit] = Math.abs(n) < 1e9 ? [1e6, "M"] : [1e9, "G"];
  return `${short.format(n / divisor)} ${unit}`;
}

/** Three digits, and a decimal unit. @param {number} bytes */
export function bytes(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  for (; bytes >= 999.5 && at < units.length - 1; at++) bytes /= 1000;
  return `${short.format(bytes)} ${units[at]}`;
}

/** @param {number} ms */
export function duration(ms) {
  const steps = [[1, "ms"], [1000, "s"], [60, "min"], [60, "h"], [24, "d"]];
  let unit = "ms";
  for (const [factor, name] of steps) {
    if (ms < factor) break;
    ms /= factor;
    unit = name;
  }
  return `${short.format(ms)} ${unit}`;
}

/** A share with one decimal; never 0 for what is there. @param {number} part @param {number} whole */
export function share(part, whole) {
  if (!whole || !part) return "0 %";
  const percent = (100 * part) / whole;
  return percent < 0.1 ? "< 0.1 %" : `${percent.toFixed(1)} %`;
}

/** A value beside others of its size. @param {number} n */
export function figure(n) {
  if (!Number.isFinite(n)) return String(n);
  const size = Math.abs(n);
  if (size >= 1e7 || (size < 1e-3 && n !== 0)) return n.toPrecision(4);
  return new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 }).format(n);
}
