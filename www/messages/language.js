// Which language the page speaks: asked for in the address, chosen on an earlier visit, or the browser's. No page here,
// and no texts but the languages' own names.

/** Where the choice is kept. */
export const KEY = "synthattn.language";

/** The languages there are, the first for those who have none of them. */
export const LANGUAGES = ["en", "zh-Hans"];

/**
 * The language there is for a tag: "zh", "zh-CN" and "zh-Hans-SG" mean the same one, and "zh-TW" is another script.
 *
 * @param {string | null | undefined} tag
 * @returns {string | undefined}
 */
export function languageOf(tag) {
  if (!tag) return undefined;
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return LANGUAGES.find((one) => {
      const mine = new Intl.Locale(one).maximize();
      return mine.language === language && mine.script === script;
    });
  } catch {
    return undefined; // no tag at all, as "C" where no locale is set
  }
}

/**
 * @param {object} wishes
 * @param {string | null} [wishes.asked] in the address
 * @param {string | null} [wishes.chosen] on an earlier visit
 * @param {readonly string[]} wishes.wanted by the browser, the best first
 */
export function chooseLanguage({ asked, chosen, wanted }) {
  const found = [asked, chosen, ...wanted].map(languageOf).find((one) => one !== undefined);
  if (found) return found;
  // Of another script, but more than nothing.
  const base = wanted.map((tag) => tag.split("-")[0].toLowerCase());
  return LANGUAGES.find((one) => base.includes(one.split("-")[0])) ?? LANGUAGES[0];
}
