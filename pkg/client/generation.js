/**
 * One call of `generate()`: text as it is made.
 *
 * @module
 */

import { aborted } from "../errors.js";
import { split, textArgument } from "./options.js";

/** @import { GenerateOptions, GenerateSummary } from "../contract.js" */
/** @import { Handle } from "./handle.js" */

/**
 * @param {Handle} handle
 * @param {string} prompt
 * @param {GenerateOptions} [options]
 * @returns {AsyncGenerator<string, GenerateSummary>}
 */
export async function* generate(handle, prompt, options) {
  textArgument("prompt", prompt);
  const { signal, rest } = split(options);
  if (signal?.aborted) throw aborted(signal);
  const model = handle.id;
  const link = await handle.home();
  // Without the signal: an answer that is thrown away would leave the generation open.
  const begun = await link.call("beginGeneration", { model, prompt, options: rest });
  let { seconds } = begun;
  try {
    for (;;) {
      handle.checkAlive();
      if (link.death) throw link.death;
      const {
        piece,
        tokens,
        done,
        seconds: more,
      } = await link.call("generatePiece", { model, run: begun.run }, { signal });
      seconds += more;
      if (piece !== "") yield piece;
      if (done) return { tokens, seconds, tokensPerSecond: seconds > 0 ? tokens / seconds : 0, reason: done };
    }
  } finally {
    // Not waited for, so that a reader who leaves goes on at once. If the model is gone, so is its generation.
    if (handle.livesIn(link)) link.call("endGeneration", { model, run: begun.run }).catch(() => {});
  }
}
