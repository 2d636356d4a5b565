// Why there is no table at all, as a reason with its values: the page makes sentences of it.

/**
 * - `empty`: no characters, or nothing but blanks
 * - `not-text`: `kind` names what it is, "workbook" or "other" among them
 * - `encoding`: it can't be read in the encoding a person chose
 *
 * @typedef {"empty" | "not-text" | "encoding"} FailureReason
 */

export class ImportFailure extends Error {
  /**
   * @param {FailureReason} reason
   * @param {Record<string, string | number>} [values]
   */
  constructor(reason, values = {}) {
    super(reason);
    this.name = "ImportFailure";
    this.reason = reason;
    this.values = values;
  }
}
