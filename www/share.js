// Links that carry the whole setting: of the page as it is, or of the run that is on the bench.
import { h, setText } from "./dom.js";
import { OWN } from "./fields.js";
import { t, together } from "./messages/index.js";

/**
 * A button that copies a link and says so; where the browser does not allow it, the link is shown.
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
  const copy = async () => {
    const { link, own } = make();
    box.value = link;
    const ownText = own ? t("share.ownText") : "";
    try {
      await navigator.clipboard.writeText(link);
      box.hidden = true;
      setText(said, together(copied, ownText));
    } catch {
      // No permission to write to the clipboard: the link is shown to be copied by hand.
      box.hidden = false;
      box.select();
      setText(said, together(t("share.byHand"), ownText));
    }
  };
  const button = h("button", { type: "button", class: "quiet", "data-testid": name, onclick: () => void copy() }, label);
  return h("div", { class: "share" }, button, box, said);
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
