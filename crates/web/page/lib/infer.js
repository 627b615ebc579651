// What a field of text means: the rules of `larder import`. Values are given as JSON text, so that no digit is lost.

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Milliseconds since 1970 of an ISO 8601 date; UTC where no zone is given. NaN for all else. */
export function isoMillis(text) {
  if (!DATE.test(text) || !isThere(text)) return NaN;
  const iso = text.replace(" ", "T").replace(",", ".");
  return Date.parse(iso.length > 10 && !/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? `${iso}Z` : iso);
}

/** Whether there is such a day and hour: browsers take the 30th of February for a day of March, and the hour 24 for the next day. */
function isThere(text) {
  const [year, month, day] = text.slice(0, 10).split("-").map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() && !(text.slice(11, 13) > "23");
}

export const dateText = (ms) => `{"$date":{"$numberLong":"${ms}"}}`;

/**
 * A field's value as Extended JSON; null if it is empty. A number with leading zeros is text: its zeros matter. So is an integer of
 * more than 64 bits, whose last digits a double would lose, and what is beyond a double.
 */
export function infer(text) {
  if (text === "") return null;
  if (/^-?(0|[1-9]\d*)$/.test(text)) return integer(text);
  if (/^-?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d+)?$/.test(text)) return double(text);
  const ms = isoMillis(text);
  if (!Number.isNaN(ms)) return dateText(ms);
  if (text === "true" || text === "false") return text;
  return JSON.stringify(text);
}

function integer(text) {
  const whole = BigInt(text);
  return whole >= -(2n ** 63n) && whole < 2n ** 63n ? text : JSON.stringify(text);
}

function double(text) {
  const n = Number(text);
  return Number.isFinite(n) ? `{"$numberDouble":"${n % 1 ? n : n.toFixed(1)}"}` : JSON.stringify(text);
}
