// Probabilities as a short list with bars.
import { h } from "../dom.js";
import { percent } from "../format.js";

/**
 * @param {{ name: string, value: number, marked?: boolean }[]} items `marked`: the one that is right
 * @param {string} label for screen readers
 */
export function bars(items, label) {
  return h(
    "ul",
    { class: "bars", "aria-label": label },
    items.map(({ name, value, marked }) => {
      const bar = h("span", { class: "bar" });
      bar.style.width = `${100 * value}%`;
      return h(
        "li",
        { class: marked ? "marked" : false },
        h("span", { class: "bar-name", title: name }, name),
        h("span", { class: "bar-track", "aria-hidden": "true" }, bar),
        h("span", { class: "number" }, percent(value, value < 0.1 ? 1 : 0)),
      );
    }),
  );
}

/** @param {boolean} right @param {string} said */
export function mark(right, said) {
  return h(
    "span",
    { class: right ? "verdict right" : "verdict not-right" },
    h("span", { "aria-hidden": "true" }, right ? "✓" : "✗"),
    h("span", { class: "visually-hidden" }, said),
  );
}
