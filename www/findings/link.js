// Links that rerun an experiment. Opened, they lead to it and offer to run it; nothing runs before a press.
import { experimentBy } from "./experiments.js";

/** @import { Scale } from "./contract.js" */

/** @param {string} id @param {Scale} scale */
export function linkTo(id, scale) {
  const url = new URL(location.href);
  url.hash = new URLSearchParams({ run: id, scale }).toString();
  return url.href;
}

/**
 * What an address asks for: an experiment to be run, or one to be shown. What is no experiment is left alone.
 *
 * @param {string} hash
 * @returns {{ id: string, scale?: Scale } | undefined}
 */
export function askedFor(hash) {
  const query = new URLSearchParams(hash.slice(1));
  const run = query.get("run");
  if (run !== null) return experimentBy(run) && { id: run, scale: query.get("scale") === "full" ? "full" : "quick" };
  const id = hash.slice(1);
  return experimentBy(id) && { id };
}

/** Goes where the address leads, now and whenever it changes. @param {import("./finding.js").Finding[]} findings */
export function followLink(findings) {
  const follow = () => {
    const asked = askedFor(location.hash);
    const finding = findings.find(({ experiment }) => experiment.id === asked?.id);
    if (!asked || !finding) return;
    if (asked.scale) finding.offer(asked.scale);
    else finding.element.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
}
