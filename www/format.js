// Numbers, sizes and durations as people read them.
import { language, t } from "./messages/index.js";

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/**
 * @param {number} value
 * @param {Intl.NumberFormatOptions} options
 */
function format(value, options) {
  const key = JSON.stringify(options);
  let made = formats.get(key);
  if (!made) formats.set(key, (made = new Intl.NumberFormat(language, options)));
  return made.format(value);
}

/** What stands where there is no number yet. */
export const NONE = "–";

/** @param {number | undefined} value */
const known = (value) => value !== undefined && Number.isFinite(value);

/** A whole number, grouped. @param {number | undefined} value */
export function whole(value) {
  return known(value) ? format(/** @type {number} */ (value), { maximumFractionDigits: 0 }) : NONE;
}

/**
 * A number with a fixed count of digits after the point.
 *
 * @param {number | undefined} value
 * @param {number} digits
 */
export function fixed(value, digits) {
  return known(value)
    ? format(/** @type {number} */ (value), { minimumFractionDigits: digits, maximumFractionDigits: digits })
    : NONE;
}

/** A difference, with its sign. @param {number | undefined} value @param {number} digits */
export function signed(value, digits) {
  return known(value)
    ? withMinus(format(/** @type {number} */ (value), { signDisplay: "exceptZero", minimumFractionDigits: digits, maximumFractionDigits: digits }))
    : NONE;
}

/** Three significant digits: speeds. @param {number | undefined} value */
export function speed(value) {
  if (!known(value)) return NONE;
  const digits = /** @type {number} */ (value) >= 100 ? 0 : /** @type {number} */ (value) >= 10 ? 1 : 2;
  return fixed(value, digits);
}

/** A large number in three digits: "328K". @param {number | undefined} value */
export function short(value) {
  return known(value)
    ? format(/** @type {number} */ (value), { notation: "compact", maximumSignificantDigits: 3 })
    : NONE;
}

/** As typed by a person: no grouping, no rounding. @param {number} value */
export function plain(value) {
  return format(value, { useGrouping: false, maximumSignificantDigits: 12 });
}

/** @param {number} share @param {number} [digits] */
export function percent(share, digits = 0) {
  return format(share, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A difference as a share, with its sign. @param {number} share @param {number} [digits] */
export function signedPercent(share, digits = 0) {
  return withMinus(format(share, { style: "percent", signDisplay: "exceptZero", minimumFractionDigits: digits, maximumFractionDigits: digits }));
}

/** With a minus as wide as a plus. @param {string} text */
const withMinus = (text) => text.replace("-", "−");

/** @param {number} bytes */
export function size(bytes) {
  if (bytes >= 1e6) return format(bytes / 1e6, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 });
  return format(Math.max(bytes, 100) / 1e3, {
    style: "unit",
    unit: "kilobyte",
    maximumFractionDigits: bytes < 1e4 ? 1 : 0,
  });
}

/** Seconds in words: "8 s", "1 min 20 s". @param {number} seconds */
export function duration(seconds) {
  const rounded = Math.max(1, Math.round(seconds));
  if (rounded < 60) return t("duration.seconds", { seconds: rounded });
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return t("duration.minutes", { minutes, seconds: String(rounded % 60).padStart(2, "0") });
  return t("duration.hours", {
    hours: Math.floor(minutes / 60),
    minutes: String(minutes % 60).padStart(2, "0"),
  });
}

/** Seconds, and from how many of them on the next unit is used. @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** How long ago in words: "3 minutes ago". @param {Date} date */
export function ago(date) {
  const seconds = (Date.now() - date.getTime()) / 1000;
  const found = UNITS.find(([, size]) => seconds >= size);
  if (!found) return t("ago.now");
  const [unit, size] = found;
  return new Intl.RelativeTimeFormat(language).format(-Math.floor(seconds / size), unit);
}

/** A day, given as 2026-01-31. @param {string} date */
export function day(date) {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${date}T00:00:00Z`));
}

/** The time of day. @param {Date} date */
export function clock(date) {
  return new Intl.DateTimeFormat(language, { timeStyle: "short" }).format(date);
}

/** The middle value. @param {number[]} values */
export function median(values) {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort(); // many times as fast as an array's: a long run has thousands
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
