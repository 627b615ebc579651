// What a field of text means: the rules of `larder import`. Values are given as JSON text, so that no digit is lost.

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Milliseconds since 1970 of an ISO 8601 date; UTC where no zone is given. NaN for all else. */
export function isoMillis(text) {
  if (!DATE.test(text)) return NaN;
  const iso = text.replace(" ", "T").replace(",", ".");
  return Date.parse(iso.length > 10 && !/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? `${iso}Z` : iso);
}

export const dateText = (ms) => `{"$date":{"$numberLong":"${ms}"}}`;

/** A field's value as Extended JSON; null if it is empty. A number with leading zeros is text: its zeros matter. */
export function infer(text) {
  if (text === "") return null;
  if (/^-?(0|[1-9]\d*)$/.test(text)) return integer(text);
  if (/^-?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d+)?$/.test(text)) return `{"$numberDouble":"${Number(text) % 1 ? Number(text) : Number(text).toFixed(1)}"}`;
  const ms = isoMillis(text);
  if (!Number.isNaN(ms)) return dateText(ms);
  if (text === "true" || text === "false") return text;
  return JSON.stringify(text);
}

function integer(text) {
  const whole = BigInt(text);
  return whole >= -(2n ** 63n) && whole < 2n ** 63n ? text : `{"$numberDouble":"${Number(text)}"}`;
}
