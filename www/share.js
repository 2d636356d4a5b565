// The link that carries the whole setting.
import { h, setText } from "./dom.js";
import { t, together } from "./messages/index.js";

/** @param {import("./state.js").State} state */
export function shareButton(state) {
  const said = h("small", { class: "hint", role: "status" });
  const link = h("input", {
    type: "text",
    readonly: true,
    hidden: true,
    "aria-label": t("share.link"),
    "data-testid": "share-link",
  });
  const button = h(
    "button",
    {
      type: "button",
      class: "quiet",
      "data-testid": "share",
      onclick: async () => {
        link.value = state.link();
        history.replaceState(history.state, "", state.hash());
        const own = state.settings.text === "own" ? t("share.ownText") : "";
        try {
          await navigator.clipboard.writeText(link.value);
          link.hidden = true;
          setText(said, together(t("share.copied"), own));
        } catch {
          // No permission to write to the clipboard: the link is shown to be copied by hand.
          link.hidden = false;
          link.select();
          setText(said, together(t("share.byHand"), own));
        }
      },
    },
    t("share.button"),
  );
  return h("div", { class: "share" }, button, link, said);
}
