// The choice of language. The page is opened anew in it, with what was under way where that can be kept.
import { h, setText } from "./dom.js";
import { language, t } from "./messages/index.js";
import { KEY, LANGUAGES } from "./messages/language.js";

/**
 * What a page has under way that opening it anew would end.
 *
 * @typedef {object} Work
 * @property {() => boolean} isThere
 * @property {() => Promise<boolean>} keep whether the page will have it again
 * @property {string} lost what is said where it will not
 */

/** @param {Work} work */
export function languageSwitch({ isThere, keep, lost }) {
  const status = h("small", { class: "hint", role: "status" });
  const select = h(
    "select",
    { class: "quiet", "data-testid": "language", onchange: () => void change() },
    LANGUAGES.map((one) => h("option", { value: one, lang: one }, t(`language.${one}`))),
  );
  select.value = language;

  const change = async () => {
    const chosen = select.value;
    status.replaceChildren();
    if (!isThere()) return open(chosen);
    select.disabled = true;
    setText(status, t("language.wait"));
    if (await keep()) return open(chosen);
    select.disabled = false;
    select.value = language;
    const anyway = { type: "button", class: "quiet", "data-testid": "language-anyway", onclick: () => open(chosen) };
    status.replaceChildren(lost, h("button", anyway, t("language.anyway")));
  };
  return h("span", { class: "language" }, h("label", { class: "quiet-label" }, h("span", {}, t("language.label")), select), status);
}

/** Opens the page in a language: the choice is kept, or stands in the address where nothing can be. @param {string} chosen */
function open(chosen) {
  const url = new URL(location.href);
  try {
    localStorage.setItem(KEY, chosen);
    url.searchParams.delete("lang");
  } catch {
    url.searchParams.set("lang", chosen);
  }
  if (url.search === location.search) location.reload();
  else location.replace(url);
}
