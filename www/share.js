// Links that carry the whole setting: of the page as it is, or of the run that is on the bench.
import { h, setText } from "./dom.js";
import { OWN } from "./fields.js";
import { t, together } from "./messages/index.js";

/** Milliseconds for which the button says that it has copied. */
const SAID = 2500;

/**
 * A button that copies a link and says so in its own place. What a person has to know beside that, or the link itself
 * where the browser does not allow copying, lies over the page below the button.
 *
 * @param {object} options
 * @param {string} options.name of the hooks: the button, and <name>-link
 * @param {string} options.label
 * @param {string} options.linkLabel
 * @param {string} options.copied
 * @param {() => { link: string, own: boolean }} options.make `own`: it belongs to data that no link holds
 */
export function copyButton({ name, label, linkLabel, copied, make }) {
  const said = h("small", { class: "hint", role: "status" });
  const box = h("input", {
    type: "text",
    readonly: true,
    hidden: true,
    "aria-label": linkLabel,
    "data-testid": `${name}-link`,
  });
  const note = h("div", { class: "share-note visually-hidden" }, box, said);
  const show = (/** @type {boolean} */ on) => note.classList.toggle("visually-hidden", !on);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const copy = async () => {
    const { link, own } = make();
    box.value = link;
    const ownText = own ? t("share.ownText") : "";
    try {
      await navigator.clipboard.writeText(link);
      box.hidden = true;
      show(own);
      setText(said, together(copied, ownText));
      button.classList.add("copied");
      clearTimeout(timer);
      timer = setTimeout(() => button.classList.remove("copied"), SAID);
    } catch {
      // No permission to write to the clipboard: the link is shown to be copied by hand.
      box.hidden = false;
      show(true);
      box.select();
      setText(said, together(t("share.byHand"), ownText));
    }
  };
  const button = h(
    "button",
    { type: "button", class: "quiet", "data-testid": name, onclick: () => void copy() },
    h("span", { class: "before" }, label),
    h("span", { class: "after" }, t("share.done")),
  );
  const close = () => {
    if (note.contains(document.activeElement)) button.focus();
    show(false);
    box.hidden = true;
  };
  return h(
    "div",
    {
      class: "share",
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close(),
      onfocusout: (/** @type {FocusEvent} */ { currentTarget, relatedTarget }) => {
        const within = relatedTarget instanceof Node && /** @type {Node} */ (currentTarget).contains(relatedTarget);
        if (!within && document.hasFocus()) close();
      },
    },
    button,
    note,
  );
}

/** @param {import("./state.js").State} state */
export function shareButton(state) {
  return copyButton({
    name: "share",
    label: t("share.button"),
    linkLabel: t("share.link"),
    copied: t("share.copied"),
    make() {
      history.replaceState(history.state, "", state.hash());
      return { link: state.link(), own: state.settings.text === OWN };
    },
  });
}
