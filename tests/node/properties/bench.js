// What property tests on the real engine share: seeds, outcomes, and whether the engine still works.

import assert from "node:assert/strict";
import fc from "fast-check";
import { SynthError } from "synthattn";

/** @import { Engine, Model } from "synthattn" */

/** The same every time, unless told otherwise: a failing run says how to repeat it. */
const SEED = Number(process.env.PROPERTY_SEED ?? 20260);

/** Far more than anything here takes, however busy the machine: past it, a promise was forgotten. */
const HANGS_AFTER = 120_000;

/**
 * Holds a property for `runs` values of `arbitrary`. On a failure, fast-check prints the seed and the path, and the smallest value.
 *
 * @template T
 * @param {import("fast-check").Arbitrary<T>} arbitrary
 * @param {number} runs
 * @param {(value: T) => Promise<void>} property
 */
export async function holds(arbitrary, runs, property) {
  await fc.assert(
    fc.asyncProperty(arbitrary, (value) => inTime(property(value))),
    { seed: SEED, numRuns: runs, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
}

/**
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
async function inTime(work) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("it hangs")), HANGS_AFTER)));
  try {
    return /** @type {T} */ (await Promise.race([work, late]));
  } finally {
    clearTimeout(timer);
  }
}

/** What a caller's mistake may lead to; never a crash. */
const EXPECTED = new Set([
  ...["invalid-option", "invalid-data", "text-too-long", "unknown-kind", "wrong-task", "diverged", "corrupt-file"],
  ...["unsupported-version", "disposed", "busy", "aborted", "attention-unavailable"],
]);

/**
 * The code of the error that a call gave, or undefined. Anything but a SynthError for a mistake of the caller's fails.
 *
 * @param {() => unknown} call
 * @param {string} what
 * @returns {Promise<string | undefined>}
 */
export async function codeOf(call, what) {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof SynthError, `${what} threw what is no SynthError: ${/** @type {any} */ (error)?.stack ?? String(error)}`);
    assert.ok(EXPECTED.has(error.code), `${what} gave ${error.code}: ${error.message}`);
    assert.ok(error.message.length > 0 && error.message.length < 2000, `${what} has no fit message: ${error.message.length} characters`);
    return error.code;
  }
}

/**
 * Takes some of what a generator gives, then leaves it.
 *
 * @param {AsyncGenerator<unknown, unknown>} generator
 * @param {number} most
 */
export async function take(generator, most) {
  try {
    for (let taken = 0; taken < most; taken += 1) if ((await generator.next()).done) return;
  } finally {
    await generator.return(undefined);
  }
}

/**
 * The engine trains, in the worker it began with.
 *
 * @param {Engine} engine
 * @param {Model} model
 */
export async function stillTrains(engine, model) {
  for await (const { loss } of model.train({ steps: 1, batch: 1 })) assert.ok(Number.isFinite(loss), `the loss is ${loss}`);
  const lost = await Promise.race([engine.lost, undefined]);
  assert.equal(lost, undefined, `the worker was lost: ${lost?.message}`);
}
