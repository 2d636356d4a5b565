// Who uses the device: one at a time, in order of asking. Training waits too, so that its speeds stay honest.

export class Turns {
  /** @type {Promise<void>} */
  #last = Promise.resolve();

  /**
   * Runs `act` with the device to itself.
   *
   * @template T
   * @param {() => Promise<T>} act
   * @returns {Promise<T>}
   */
  take(act) {
    const result = this.#last.then(act);
    this.#last = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /**
   * Waits for each answer with the device to itself.
   *
   * @template T
   * @param {AsyncGenerator<T, void>} answers
   */
  async *each(answers) {
    try {
      while (true) {
        const { value, done } = await this.take(() => answers.next());
        if (done) return;
        yield /** @type {T} */ (value);
      }
    } finally {
      await answers.return(undefined);
    }
  }
}
