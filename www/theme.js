// Light, dark or as the system says; and the colours of the day for those who draw on canvases.
import { h } from "./dom.js";
import { t } from "./messages/index.js";

const KEY = "synthattn.theme";
const listeners = new Set();
const probe = h("span", { hidden: true });

/** Calls `listener` whenever colours change. @param {() => void} listener */
export function onThemeChange(listener) {
  listeners.add(listener);
}

/** A custom property's colour as it is now, as the browser writes it. @param {string} property */
export function colour(property) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${property})`;
  return getComputedStyle(probe).color;
}

/**
 * A custom property's colour as red, green and blue.
 *
 * @param {string} property
 * @returns {[number, number, number]}
 */
export function rgb(property) {
  const [red, green, blue] = colour(property)
    .match(/[\d.]+/g)
    ?.map(Number) ?? [0, 0, 0];
  return [red, green, blue];
}

/** The switch. */
export function themeSwitch() {
  const choices = ["auto", "light", "dark"];
  const select = h(
    "select",
    {
      class: "quiet",
      "data-testid": "theme",
      onchange: () => {
        if (select.value === "auto") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = select.value;
        try {
          localStorage.setItem(KEY, select.value);
        } catch {
          // Storage is switched off: the choice holds until the page is left.
        }
        tell();
      },
    },
    choices.map((choice) => h("option", { value: choice }, t(`theme.${choice}`))),
  );
  select.value = document.documentElement.dataset.theme ?? "auto";
  return h("label", { class: "quiet-label" }, h("span", {}, t("theme.label")), select);
}

function tell() {
  for (const listener of listeners) listener();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
