// Which device the models run on, why, and the switch to another.
import { freshId, h, setText } from "./dom.js";
import { notice } from "./errors.js";
import { said, t } from "./messages/index.js";
import { FIELDS } from "./fields.js";

/**
 * Has an engine, and tells of it: "engine", "phase", and "lost" with the error.
 *
 * @typedef {EventTarget & { engine?: import("synthattn").Engine, busy: boolean, start(place: import("./lab.js").Place): Promise<unknown> }} Lab
 */

export class DeviceChip {
  /** @type {HTMLElement} */
  element;
  #lab;
  #state;
  #name = h("strong", {});
  #why = h("span", { class: "hint" });
  #chip;
  #select;
  #notice = notice("device-error");

  /** @param {Lab} lab @param {{ settings: import("./lab.js").Place, set(change: { device: string }): void }} state */
  constructor(lab, state) {
    this.#lab = lab;
    this.#state = state;
    const whyId = freshId();
    this.#why.id = whyId;
    this.#chip = h(
      "p",
      { class: "device-chip", "data-testid": "device-chip" },
      h("span", { class: "lamp", "aria-hidden": "true" }),
      this.#name,
      " ",
      this.#why,
    );
    this.#select = h(
      "select",
      {
        class: "quiet",
        "data-testid": "device",
        "aria-describedby": whyId,
        value: state.settings.device,
        onchange: () => {
          state.set({ device: this.#select.value });
          void this.start();
        },
      },
      (FIELDS.device.choices ?? []).map((choice) =>
        h("option", { value: choice }, t(`device.choice.${choice}`)),
      ),
    );
    this.element = h(
      "div",
      { class: "device" },
      h(
        "div",
        { class: "device-line" },
        this.#chip,
        h("label", { class: "quiet-label" }, h("span", {}, t("device.label")), this.#select),
      ),
      this.#notice.element,
    );
    lab.addEventListener("engine", () => this.#show());
    lab.addEventListener("phase", () => (this.#select.disabled = lab.busy));
    lab.addEventListener("lost", (event) => this.#notice.fail(/** @type {CustomEvent} */ (event).detail));
    this.#waiting();
  }

  /** Says that there is no engine until it is needed. @param {string} name @param {string} why */
  rest(name, why) {
    this.#chip.dataset.kind = "resting";
    setText(this.#name, name);
    setText(this.#why, why);
  }

  /** Starts the engine on the device of the settings. */
  async start() {
    this.#waiting();
    this.#notice.clear();
    try {
      await this.#lab.start(this.#state.settings);
    } catch (error) {
      this.#chip.dataset.kind = "none";
      setText(this.#name, t("device.none"));
      setText(this.#why, "");
      const again = h(
        "button",
        { type: "button", "data-testid": "restart", onclick: () => void this.start() },
        t("device.tryAgain"),
      );
      this.#notice.fail(error, again);
    }
    this.#select.value = this.#state.settings.device;
  }

  #waiting() {
    this.#chip.dataset.kind = "waiting";
    setText(this.#name, t("device.starting"));
    setText(this.#why, t("device.startingWhy"));
  }

  #show() {
    const device = this.#lab.engine?.device;
    if (!device) return;
    this.#notice.clear();
    this.#chip.dataset.kind = device.kind;
    this.#chip.dataset.software = String(device.software);
    setText(this.#name, said(device.description));
    setText(
      this.#why,
      said(device.fallbackReason ?? "") || (device.kind === "webgpu" && device.software ? t("device.software") : ""),
    );
  }
}
