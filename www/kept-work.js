// What the page says of kept comparisons: those of earlier visits to be resumed, how far this one is kept, and why not.
import { freshId, h, setText } from "./dom.js";
import { downloadModel } from "./download.js";
import { explain, notice } from "./errors.js";
import { OWN } from "./fields.js";
import { ago, clock, size, whole } from "./format.js";
import { labelOf } from "./kinds.js";
import { reached } from "./keeping.js";
import { said, t, together } from "./messages/index.js";
import { KeepError } from "synthattn/keep";

/** @typedef {import("./keeping.js").Comparison} Comparison */

/** Milliseconds after which to look again: a tab on its way out may not have let go of its comparison yet. */
const AGAIN = [1500, 4000, 10_000, 20_000];

/** Where a page that opens itself anew leaves the name of the comparison to bring back. */
const COMEBACK = "synthattn.comeback";

/** The page will open itself anew, with this comparison on the bench. @param {string} name */
export function comeBackTo(name) {
  sessionStorage.setItem(COMEBACK, name);
}

/** The name that was left, once. */
function takeComeback() {
  try {
    const name = sessionStorage.getItem(COMEBACK);
    sessionStorage.removeItem(COMEBACK);
    return name;
  } catch {
    return null; // Storage is switched off, so that nothing was left.
  }
}

export class KeptWork {
  /** Offers, at the top of the page. */
  offers = h("section", { class: "kept", "aria-label": t("keep.offers"), hidden: true });
  /** How far the comparison on the bench is kept. */
  state = h("p", { class: "hint", hidden: true, "data-testid": "kept-state" });
  /** Why it is not. */
  trouble = h("div", { class: "notice", role: "status", hidden: true, "data-testid": "kept-trouble" });
  #keeper;
  #lab;
  #after;
  #notice = notice("kept-error");
  /** What a person has read and closed: it is not said again. @type {Set<string>} */
  #closed = new Set();

  /**
   * @param {import("./keeping.js").Keeper} keeper
   * @param {import("./lab.js").Lab} lab
   * @param {(show: boolean) => void} after takes the focus, and shows the run if a comparison is brought back
   */
  constructor(keeper, lab, after) {
    this.#keeper = keeper;
    this.#lab = lab;
    this.#after = after;
    keeper.awaited = takeComeback();
    keeper.addEventListener("offers", () => this.#showOffers());
    keeper.addEventListener("kept", () => this.#showState());
    keeper.addEventListener("problem", () => this.#showTrouble());
    lab.addEventListener("phase", () => {
      this.offers.hidden = lab.busy || this.offers.childElementCount === 0;
      this.#showState();
    });
    void this.#look();
  }

  async #look() {
    const again = () => {
      const idle = !this.#lab.busy && !this.#lab.order;
      if (idle && (this.#keeper.offers.length === 0 || this.#keeper.awaited)) void this.#keeper.look();
    };
    await this.#keeper.look();
    for (const wait of AGAIN) setTimeout(again, wait);
    // Another tab may have been closed meanwhile.
    document.addEventListener("visibilitychange", () => !document.hidden && again());
  }

  #showOffers() {
    const awaited = this.#keeper.offers.find(({ name }) => name === this.#keeper.awaited);
    if (awaited && !this.#lab.busy) {
      void this.#try(() => this.#keeper.restore(awaited));
      return;
    }
    const [newest, ...older] = this.#keeper.offers.map((offer) => this.#offer(offer));
    const fold = h(
      "details",
      { class: "fold" },
      h("summary", {}, t("keep.older", { count: older.length })),
      older,
    );
    this.offers.replaceChildren(...(newest ? [newest] : []), ...(older.length > 0 ? [fold] : []));
    if (this.#notice.element.hidden === false) this.offers.append(this.#notice.element);
    this.offers.hidden = this.#lab.busy || this.offers.childElementCount === 0;
  }

  /** @param {Comparison} offer */
  #offer(offer) {
    const { finished } = offer.note;
    const id = freshId();
    /** @param {string} name @param {string} text @param {() => Promise<void>} act @param {string} [kind] */
    const button = (name, text, act, kind) =>
      h(
        "button",
        { type: "button", class: kind, "data-testid": name, "aria-describedby": id, onclick: () => void this.#try(act) },
        text,
      );
    return h(
      "div",
      { class: "kept-offer", "data-testid": "kept-offer" },
      h("p", { id }, sentence(offer)),
      h(
        "div",
        { class: "row" },
        button("kept-resume", t(finished ? "keep.show" : "keep.resume"), async () => {
          const done = this.#keeper.restore(offer);
          this.#after(true);
          await done;
        }),
        button(
          "kept-discard",
          t("keep.discard"),
          async () => {
            await this.#keeper.discard(offer);
            /** @type {HTMLElement | null} */ (this.offers.querySelector("button"))?.focus();
            if (this.offers.hidden) this.#after(false);
          },
          "quiet",
        ),
      ),
    );
  }

  /** @param {() => Promise<void>} act */
  async #try(act) {
    this.#notice.clear();
    try {
      await act();
    } catch (error) {
      this.#notice.say(error instanceof KeepError ? said(error.message) : explain(error));
      this.offers.append(this.#notice.element);
    }
  }

  #showState() {
    const kept = /** @type {Comparison | undefined} */ (this.#keeper.kept);
    const step = kept ? reached(kept) : 0;
    this.state.hidden = step === 0; // then there is nothing to offer yet
    if (!kept) return;
    const { note } = kept;
    this.state.dataset.step = String(step);
    const finished = ["done", "not-started"].includes(this.#lab.phase) && note.finished;
    this.state.dataset.finished = String(finished);
    this.state.dataset.scored = String(note.records.filter(({ held }) => held.length > 0).length);
    setText(
      this.state,
      finished ? t("keep.keptDone") : t("keep.kept", { step: whole(step), time: clock(kept.savedAt) }),
    );
  }

  #showTrouble() {
    const { problem, kept } = this.#keeper;
    const code = problem instanceof KeepError ? problem.code : "other";
    this.trouble.hidden = problem === undefined || this.#closed.has(code);
    if (this.trouble.hidden) return;
    this.trouble.dataset.code = code;
    const { needed, reason } = (problem instanceof KeepError ? problem.details : undefined) ?? {};
    const values = {
      reason: said(String(reason ?? (problem instanceof Error ? problem.message : problem))).replace(/[.。]$/, ""),
      size: typeof needed === "number" ? t("keep.trouble.size", { size: size(needed) }) : "",
    };
    const known = code === "storage-full" || code === "storage-unavailable" ? code : "other";
    const parts = [t(`keep.trouble.${known}`, values)];
    if (kept) parts.push(t("keep.trouble.before", { step: whole(kept.step) }));
    parts.push(t("keep.trouble.do"));
    const racing = this.#lab.entries.filter((entry) => !entry.file);
    this.trouble.replaceChildren(
      h("p", {}, together(...parts)),
      h(
        "div",
        { class: "row" },
        racing.map((entry) =>
          h(
            "button",
            {
              type: "button",
              "data-testid": `kept-download-${entry.kind}`,
              onclick: () => void downloadModel(this.#lab, entry).catch((error) => this.#fail(error)),
            },
            t("keep.trouble.download", { kind: labelOf(entry.kind) }),
          ),
        ),
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            "data-testid": "kept-close",
            onclick: () => {
              this.#closed.add(code);
              this.trouble.hidden = true;
              this.#after(false);
            },
          },
          t("keep.trouble.close"),
        ),
      ),
    );
  }

  /** @param {unknown} error */
  #fail(error) {
    this.trouble.append(h("p", {}, explain(error)));
  }
}

/** @param {Comparison} offer */
function sentence(offer) {
  const { note, savedAt } = offer;
  const { order, finished } = note;
  const { name, title } = order.data;
  const step = reached(offer);
  return t(`keep.${finished ? "finished" : step > 0 ? "unfinished" : "begun"}`, {
    count: order.specs.length,
    data: name === OWN ? title || t("keep.own") : title,
    step: whole(step),
    steps: whole(order.options.steps),
    ago: ago(savedAt),
  });
}
