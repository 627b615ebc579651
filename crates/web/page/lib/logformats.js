// Lines of the usual logs, taken apart. A time without a zone is taken for UTC, one without a year for the last such day.

import { isoMillis } from "./infer.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const ANDROID_LEVELS = { V: "trace", D: "debug", I: "info", W: "warn", E: "error", F: "fatal" };

/** The 29th of February may be that of so many years ago. */
const YEARS_MAX = 8;

/** The newest such day that is not in the future. */
function withoutYear(month, day, clock, now = Date.now()) {
  const year = new Date(now).getUTCFullYear();
  for (let back = 0; back <= YEARS_MAX; back++) {
    const ms = isoMillis(`${year - back}-${String(month).padStart(2, "0")}-${String(day).trim().padStart(2, "0")} ${clock}`);
    if (ms <= now + 86_400_000) return ms;
  }
  return NaN;
}

const monthOf = (name) => MONTHS.indexOf(name) + 1;

/** @type {{name: string, assumes?: string, form: RegExp, take: (found: RegExpExecArray) => {time: number, level?: string, [field: string]: unknown}}[]} */
const FORMATS = [
  {
    name: "web server, access",
    form: /^(\S+) \S+ (\S+) \[(\d+)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})\] "(\S+) (\S+)[^"]*" (\d{3}) (\d+|-)(.*)$/,
    take: ([, client, user, day, month, year, clock, zone, method, path, status, bytes]) => ({ time: isoMillis(`${year}-${String(monthOf(month)).padStart(2, "0")}-${day.padStart(2, "0")}T${clock}${zone}`), level: status >= 500 ? "error" : status >= 400 ? "warn" : "info", client, ...(user !== "-" && { user }), method, status: Number(status), bytes: Number(bytes) || 0, message: `${method} ${path} ${status}` }),
  },
  {
    name: "Apache, errors",
    form: /^\[\w{3} (\w{3}) +(\d+) (\d\d:\d\d:\d\d)(?:\.\d+)? (\d{4})\] \[(?:\w+:)?(\w+)\] (.*)$/,
    take: ([, month, day, clock, year, level, message]) => ({ time: isoMillis(`${year}-${String(monthOf(month)).padStart(2, "0")}-${day.padStart(2, "0")} ${clock}`), level: level.toLowerCase(), message }),
  },
  {
    name: "Android", assumes: "year and UTC",
    form: /^(\d\d)-(\d\d) (\d\d:\d\d:\d\d\.\d+) +(\d+) +(\d+) ([VDIWEF]) ([^:]+?) *: (.*)$/,
    take: ([, month, day, clock, pid, thread, level, app, message]) => ({ time: withoutYear(month, day, clock), level: ANDROID_LEVELS[level], app, pid: Number(pid), thread: Number(thread), message }),
  },
  {
    name: "HDFS", assumes: "UTC",
    form: /^(\d\d)(\d\d)(\d\d) (\d\d)(\d\d)(\d\d) (\d+) (\w+) ([^:]+): (.*)$/,
    take: ([, year, month, day, hours, minutes, seconds, thread, level, app, message]) => ({ time: isoMillis(`20${year}-${month}-${day} ${hours}:${minutes}:${seconds}`), level: level.toLowerCase(), app, thread: Number(thread), message }),
  },
  {
    name: "OpenStack", assumes: "UTC",
    form: /^\S+\.log\S* (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+) (\d+) (\w+) (\S+) (?:\[([^\]]*)\] )?(.*)$/,
    take: ([, time, pid, level, app, request, message]) => ({ time: isoMillis(time), level: level.toLowerCase(), app, pid: Number(pid), ...(request && { request: request.split(" ")[0] }), message }),
  },
  {
    name: "ZooKeeper", assumes: "UTC",
    form: /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+) - (\w+) +\[(.*?)\] - (.*)$/,
    take: ([, time, level, app, message]) => ({ time: isoMillis(time), level: level.toLowerCase(), app, message }),
  },
  {
    name: "Java", assumes: "UTC",
    form: /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d+) +(\w+) +\[([^\]]*)\] ([^:\s]+): (.*)$/,
    take: ([, time, level, thread, app, message]) => ({ time: isoMillis(time), level: level.toLowerCase(), app, thread, message }),
  },
  {
    name: "syslog", assumes: "year and UTC",
    form: /^(?:<\d+>)?(\w{3}) +(\d+) (\d\d:\d\d:\d\d) (\S+) ([^:\[\s]+(?:\([^)]*\))?)(?:\[(\d+)\])?: (.*)$/,
    take: ([, month, day, clock, host, app, pid, message]) => ({ time: withoutYear(monthOf(month), day, clock), level: severity(message), host, app, ...(pid && { pid: Number(pid) }), message }),
  },
  {
    name: "time and text", assumes: "UTC where no zone is given",
    form: /^\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)\]?[\s|,-]+\[?(trace|debug|info|notice|warn|warning|error|err|fatal|critical)?\]?[:\s|-]*(.*)$/i,
    take: ([, time, level, message]) => ({ time: isoMillis(time), ...(level && { level: level.toLowerCase() }), message }),
  },
];

/** Syslog's lines do not say their level: the words that mean trouble do. */
const severity = (message) => (/\b(error|fail(ed|ure)?|fatal|panic|denied|invalid)\b/i.test(message) ? "error" : /\bwarn(ing)?\b/i.test(message) ? "warn" : "info");

/** The format of most of these lines; undefined if there is none. */
export function formatOf(lines) {
  const score = (format) => lines.filter((line) => taken(format, line)).length / lines.length;
  return FORMATS.find((format) => score(format) >= 0.6);
}

/** The record of a line; null if it is not of the format. */
export function taken(format, line) {
  const found = format.form.exec(line);
  const record = found && format.take(found);
  return record && !Number.isNaN(record.time) ? record : null;
}
