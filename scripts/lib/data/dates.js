// Dates as people of five languages write them, to be written as ISO 8601 says. Spelt out from tables here and not by
// Intl: what that says changes with the data that a Node release brings along.

import { Random } from "./random.js";
import { OURS, distinct } from "./set.js";

/** @import { DataSet } from "./set.js" */

export const options = {
  seed: "dates",
  training: 8000,
  test: 500,
  /** Both included. */
  years: /** @type {const} */ ([1900, 2099]),
};

/** @typedef {{ day: number, month: number, year: number, name: string, short: string, weekday: string, weekdayShort: string }} When */

/** @type {{ months: string, weekdays: string, short: (name: string) => string, styles: ((when: When) => string)[] }[]} */
const LANGUAGES = [
  {
    // English, British and American
    months: "January February March April May June July August September October November December",
    weekdays: "Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
    short: (name) => name.slice(0, 3),
    styles: [
      ({ weekday, day, name, year }) => `${weekday}, ${day} ${name} ${year}`,
      ({ day, name, year }) => `${day} ${name} ${year}`,
      ({ day, short, year }) => `${day} ${short} ${year}`,
      ({ weekdayShort, day, short, year }) => `${weekdayShort}, ${day} ${short} ${year}`,
      ({ weekday, day, name, year }) => `${weekday}, ${name} ${day}, ${year}`,
      ({ day, name, year }) => `${name} ${day}, ${year}`,
      ({ day, short, year }) => `${short} ${day}, ${year}`,
    ],
  },
  {
    // German
    months: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    weekdays: "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
    short: (name) => name.slice(0, 2),
    styles: [
      ({ weekday, day, name, year }) => `${weekday}, ${day}. ${name} ${year}`,
      ({ day, name, year }) => `${day}. ${name} ${year}`,
      ({ day, month, year }) => `${day}.${month}.${year}`,
      ({ weekdayShort, day, month, year }) => `${weekdayShort}, ${two(day)}.${two(month)}.${year}`,
    ],
  },
  {
    // French
    months: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    weekdays: "dimanche lundi mardi mercredi jeudi vendredi samedi",
    short: (name) => `${name.slice(0, 3)}.`,
    styles: [
      ({ weekday, day, name, year }) => `${weekday} ${day} ${name} ${year}`,
      ({ day, name, year }) => `${day} ${name} ${year}`,
      ({ weekdayShort, day, name, year }) => `${weekdayShort} ${day} ${name} ${year}`,
    ],
  },
  {
    // Spanish
    months: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    weekdays: "domingo lunes martes miércoles jueves viernes sábado",
    short: (name) => name.slice(0, 3),
    styles: [
      ({ weekday, day, name, year }) => `${weekday}, ${day} de ${name} de ${year}`,
      ({ day, name, year }) => `${day} de ${name} de ${year}`,
      ({ day, short, year }) => `${day} ${short} ${year}`,
    ],
  },
  {
    // Italian
    months: "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    weekdays: "domenica lunedì martedì mercoledì giovedì venerdì sabato",
    short: (name) => name.slice(0, 3),
    styles: [
      ({ weekday, day, name, year }) => `${weekday} ${day} ${name} ${year}`,
      ({ day, name, year }) => `${day} ${name} ${year}`,
      ({ day, short, year }) => `${day} ${short} ${year}`,
    ],
  },
];

const MILLISECONDS_A_DAY = 86_400_000;

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/** @type {DataSet} */
export const dates = {
  name: "dates",
  label: "Dates",
  tasks: ["sequence-to-sequence"],
  ...OURS,
  make() {
    const random = new Random(options.seed);
    const first = Date.UTC(options.years[0], 0, 1) / MILLISECONDS_A_DAY;
    const last = Date.UTC(options.years[1], 11, 31) / MILLISECONDS_A_DAY;
    // By day, so that no date of the test is trained on in another language.
    return distinct(
      options,
      () => {
        const date = new Date(random.within([first, last]) * MILLISECONDS_A_DAY);
        const { months, weekdays, short, styles } = random.pick(LANGUAGES);
        const [day, month, year] = [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCFullYear()];
        const name = months.split(" ")[month - 1];
        const weekday = weekdays.split(" ")[date.getUTCDay()];
        const when = { day, month, year, name, short: short(name), weekday, weekdayShort: short(weekday) };
        return { source: random.pick(styles)(when), target: `${year}-${two(month)}-${two(day)}` };
      },
      ({ target }) => target,
    );
  },
};
