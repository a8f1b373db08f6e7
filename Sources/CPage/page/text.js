// @ts-check
// Texts, times and numbers as people read them.

const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f"
  + "\\ufeff\\ufff9-\\ufffb";
const control = new RegExp(`[${CONTROL}]`, "g");
const controlInLines = new RegExp(`(?![\\n\\t])[${CONTROL}]`, "g");

/** Returns a text on one line: line ends are shown, control and direction characters replaced, as in storectl. */
export const safe = (text) => String(text).replace(control, (one) => (one === "\n" ? "⏎" : "\ufffd"));

/** Returns a text of several lines without other control characters. */
export const safeLines = (text) => String(text).replace(controlInLines, "\ufffd");

/** Returns a text cut to a number of characters. */
export const cut = (text, limit) => (text.length > limit ? text.slice(0, limit) + "…" : text);

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const dayOfYear = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const hours = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** Returns a time in the locale of the browser; another text as it is. */
export function time(text) {
  const date = new Date(text);
  return isNaN(+date) ? safe(text) : `${day.format(date)}, ${clock.format(date)}`;
}

/** Returns a time as short as its distance from now allows: the clock today, else the day. */
export function shortTime(text, now) {
  const date = new Date(text);
  if (isNaN(+date)) return safe(text);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return clock.format(date);
  if (date.getFullYear() === today.getFullYear()) return `${dayOfYear.format(date)}, ${hours.format(date)}`;
  return day.format(date);
}

const whole = new Intl.NumberFormat("en");

/** Returns a whole number with its thousands apart. */
export const count = (number) => whole.format(number);

/** Returns a number and its noun: `1 event`, `2 events`. */
export const counted = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;

/** Returns a number of bytes with its unit. */
export function bytes(number) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (number >= 1024 && unit < units.length - 1) [number, unit] = [number / 1024, unit + 1];
  return `${number >= 10 || unit === 0 ? Math.round(number) : number.toFixed(1)} ${units[unit]}`;
}

/** Returns a duration in microseconds with its unit. */
export function duration(microseconds) {
  if (microseconds < 1000) return `${Math.round(microseconds)} µs`;
  const milliseconds = microseconds / 1000;
  return milliseconds < 1000 ? `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Returns seconds in the greatest unit that holds them. */
export function seconds(number) {
  const [size, unit] = [[86400, "d"], [3600, "h"], [60, "min"]].find(([size]) => number >= size) ?? [1, "s"];
  return `${Math.floor(number / Number(size))} ${unit}`;
}

/** Returns a name with a capital at its beginning. */
export const capital = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** Returns a field's name as a label: `exposureValue` is `exposure value`. */
export const label = (name) => name.replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
