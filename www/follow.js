// When to ask the models again: whenever they have moved on and somebody sees the answers.
import { calmly } from "./dom.js";

/** @typedef {import("./lab.js").Lab} Lab */

/** Milliseconds between two looks of their own accord. */
const CALM = 1000;
/** How many times as long as a look training goes on before the next. */
const SHARE = 3;
/** Phases of a run whose beginning is worth a look. */
const HALTS = ["running", "paused", "stopped", "done", "failed"];

/**
 * Asks when models come or go, when a run begins or halts, at each score while the element is in view, and when it is
 * scrolled into view with answers that are out of date. Only one asking is under way at any time.
 *
 * @param {Lab} lab
 * @param {Element} element
 * @param {() => Promise<void>} ask
 * @param {() => boolean} stale whether the answers shown are those of earlier steps
 * @returns {() => Promise<void>} asks now
 */
export function follow(lab, element, ask, stale) {
  /** @type {Promise<void> | undefined} */
  let asking;
  let again = false;
  let inView = false;
  let scored = 0;
  let restUntil = 0;

  const askOn = async () => {
    while (again) {
      again = false;
      const from = performance.now();
      await ask();
      restUntil = performance.now() + SHARE * (performance.now() - from);
    }
  };
  const now = async () => {
    if (!element.isConnected) return;
    again = true;
    asking ??= askOn().finally(() => {
      asking = undefined;
      if (again) void now();
    });
    await asking;
  };
  const soon = calmly(() => void now(), CALM);

  lab.addEventListener("entries", soon);
  lab.addEventListener("phase", () => {
    if (HALTS.includes(lab.phase)) soon();
  });
  lab.addEventListener("report", () => {
    const held = lab.entries.reduce((sum, entry) => sum + entry.held.length, 0);
    const due = held !== scored && inView && performance.now() >= restUntil;
    if (!due) return;
    scored = held;
    soon();
  });
  new IntersectionObserver(([{ isIntersecting }]) => {
    inView = isIntersecting;
    if (isIntersecting && stale()) soon();
  }).observe(element);
  return now;
}
