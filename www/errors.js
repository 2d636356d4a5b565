// What happened, what is kept, what to do: said next to where it happened.
import { SynthError } from "synthattn";
import { h } from "./dom.js";
import { has, said, t, together } from "./messages/index.js";

/** @param {unknown} error */
export function codeOf(error) {
  return error instanceof SynthError ? error.code : "internal";
}

/** @param {unknown} error @returns {Record<string, any>} */
export function detailsOf(error) {
  return error instanceof SynthError ? (error.details ?? {}) : {};
}

/** @typedef {(code: string, part: string) => string} Key the message for a part of what is said of an error */

/** @type {Key} */
const usual = (code, part) => `error.${code}.${part}`;
let own = usual;

/** Lets a page tell errors in sentences of its own, where it has them. @param {Key} key */
export function tellErrorsBy(key) {
  own = key;
}

/**
 * An error in plain sentences.
 *
 * @param {unknown} error
 */
export function explain(error) {
  const code = codeOf(error);
  const details = detailsOf(error);
  const told = details.reason ?? (error instanceof Error ? error.message : error);
  const reason = said(String(told)).replace(/[.。]$/, ""); // it goes into a sentence
  // A refused option says more about itself than most errors do.
  const what = "expected" in details && "value" in details ? "refused" : "what";
  const parts = [what, "kept", "do"]
    .map((part) => [own, usual].map((key) => key(code, part)).find(has) ?? "")
    .filter(has);
  const values = { ...details, reason, ...("expected" in details ? { expected: said(String(details.expected)) } : {}) };
  return together(...parts.map((key) => t(key, values)));
}

/** A place for such sentences: empty and hidden until something happens. @param {string} testId */
export function notice(testId) {
  const element = h("div", { class: "notice", role: "alert", hidden: true, "data-testid": testId });
  return {
    element,
    /** @param {unknown} error @param {...HTMLElement} actions */
    fail(error, ...actions) {
      this.say(explain(error), ...actions);
      element.dataset.code = codeOf(error);
    },
    /** @param {string} text @param {...HTMLElement} actions */
    say(text, ...actions) {
      delete element.dataset.code;
      element.replaceChildren(h("p", {}, text), ...actions);
      element.hidden = false;
    },
    clear() {
      element.hidden = true;
      element.replaceChildren();
    },
  };
}
