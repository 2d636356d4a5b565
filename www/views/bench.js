// What a view is given, and which models it shows.

/** @typedef {import("../entry.js").Entry} Entry */

/**
 * @typedef {object} Bench
 * @property {import("../lab.js").Lab} lab
 * @property {import("../state.js").State} state
 * @property {import("../data.js").DataSource} data
 */

/** The models made for the task in the sentence. @param {Bench} bench @returns {Entry[]} */
export function entriesOf({ lab, state }) {
  return lab.entries.filter(({ model }) => model.spec.task === state.settings.task);
}

/**
 * Keeps one element a model: those of models that are gone leave, the others stay in the order of the table.
 *
 * @template {{ element: Element }} Column
 * @param {Element} parent
 * @param {Map<string, Column>} shown by the models' ids
 * @param {Entry[]} entries
 * @param {(entry: Entry) => Column} make
 */
export function keepColumns(parent, shown, entries, make) {
  for (const [id, { element }] of shown) {
    if (entries.some((entry) => entry.id === id)) continue;
    element.remove();
    shown.delete(id);
  }
  entries.forEach((entry, place) => {
    let column = shown.get(entry.id);
    if (!column) shown.set(entry.id, (column = make(entry)));
    const { children } = parent;
    if (children[place] !== column.element) parent.insertBefore(column.element, children[place] ?? null);
  });
}
