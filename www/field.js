// One labelled input with its limits, its help and, when it must be, its error: beside it, in the same place.
import { freshId, h, setText } from "./dom.js";
import { NONE, plain } from "./format.js";
import { has, t } from "./messages/index.js";
import { read } from "./fields.js";
import { TASKS } from "./tasks.js";

/** @typedef {import("./fields.js").Field} Field */
/** @typedef {import("./fields.js").Problem} Problem */

/**
 * @typedef {object} FieldView
 * @property {HTMLElement} element
 * @property {HTMLInputElement | HTMLSelectElement} input
 * @property {(value: number | string | undefined) => void} show
 * @property {(field: Field, help: string) => void} limit another task allows other values
 * @property {(problem: Problem | undefined) => void} complain
 * @property {() => string} trouble what is wrong with it, named by its label; empty if nothing is
 */

/**
 * @param {object} options
 * @param {string} options.name for tests and for the input's name
 * @param {Field | import("synthattn").OptionInfo} options.field
 * @param {string} options.label
 * @param {string} [options.help]
 * @param {string} [options.placeholder] shown while empty; then empty is allowed and means the default
 * @param {boolean} [options.bare] no label and no hint in sight: for inputs inside a sentence
 * @param {(choice: string) => string} [options.choiceLabel]
 * @param {(value: number | string | undefined) => void} options.change called with each valid value
 * @returns {FieldView}
 */
export function fieldView({ name, field, label, help = "", placeholder, bare = false, choiceLabel, change }) {
  const id = freshId();
  const hintId = freshId();
  /** @type {Problem | undefined} */
  let own;
  /** @type {Problem | undefined} */
  let outer;
  /** @type {number | string | undefined} */
  let shownLast;

  const attributes = { id, name, "data-testid": name, "aria-describedby": hintId, autocomplete: "off" };
  const options = () =>
    (field.choices ?? []).map((choice) => h("option", { value: choice }, choiceLabel?.(choice) ?? choice));
  const input =
    field.type === "choice"
      ? h("select", attributes, options())
      : h("input", {
          ...attributes,
          type: "text",
          inputmode: field.type === "integer" ? "numeric" : field.type === "number" ? "decimal" : false,
          placeholder,
        });
  if (bare) input.setAttribute("aria-label", label);
  const usually = () => [limitsOf(field), help].filter((text) => text !== "").join(" · ");
  let usual = usually();
  const hint = h("small", { class: "hint", id: hintId }, usual);

  const paint = () => {
    const problem = own ?? outer;
    input.toggleAttribute("aria-invalid", Boolean(problem));
    if (problem) input.setAttribute("aria-invalid", "true");
    hint.classList.toggle("wrong", Boolean(problem));
    setText(hint, problem ? describe(problem) : usual);
  };
  const parse = () => {
    const empty = placeholder !== undefined && input.value.trim() === "";
    const result = empty ? { value: undefined } : read(field, input.value);
    own = "problem" in result ? result.problem : undefined;
    paint();
    return result;
  };
  input.addEventListener("input", parse);
  input.addEventListener("change", () => {
    outer = undefined;
    const { value } = parse();
    if (own) return;
    shownLast = value;
    change(value);
  });

  return {
    element: h(
      "div",
      { class: bare ? "field bare" : "field" },
      bare ? null : h("label", { for: id }, label),
      input,
      hint,
    ),
    input,
    show(value) {
      if (own && value === shownLast) return; // what a person typed stays, with what is wrong about it
      shownLast = value;
      const shown = value === undefined ? "" : typeof value === "number" ? plain(value) : value;
      if (input.value !== shown) input.value = shown;
      own = undefined;
      paint();
    },
    limit(other, otherHelp) {
      const same = JSON.stringify(other) === JSON.stringify(field);
      field = other;
      help = otherHelp;
      usual = usually();
      if (!same && input instanceof HTMLSelectElement) input.replaceChildren(...options());
      paint();
    },
    complain(problem) {
      outer = problem;
      paint();
    },
    trouble() {
      const problem = own ?? outer;
      return problem ? t("problem.of", { field: label, problem: describe(problem) }) : "";
    },
  };
}

/** The first of some fields that is wrong. @param {Iterable<FieldView>} views */
export function firstWrong(views) {
  return [...views].find((view) => view.trouble() !== "");
}

/** @param {Problem} problem */
export function describe(problem) {
  const values = Object.entries(problem.values ?? {}).map(([name, value]) => [
    name,
    typeof value === "number" ? plain(value) : value,
  ]);
  return t(problem.key, Object.fromEntries(values));
}

/** @param {Field | import("synthattn").OptionInfo} field */
function limitsOf({ type, min, max }) {
  if (type === "text" || type === "choice") return "";
  if (min === undefined && max === undefined) return "";
  return t("field.limits", {
    min: min === undefined ? NONE : plain(min),
    max: max === undefined ? NONE : plain(max),
  });
}

/**
 * The help text of one of the page's own settings, if it has one: for the shape of the task's data or for
 * all.
 *
 * @param {string} name
 * @param {string} task
 */
export function helpOf(name, task) {
  const keys = [`field.${name}.help.${TASKS[task].shape}`, `field.${name}.help`];
  const key = keys.find(has);
  return key ? t(key) : "";
}
