/** Engines for tests: the real client and the real core, with messages cloned between them, over a fake module. */

import assert from "node:assert/strict";
import { MessageChannel } from "node:worker_threads";
import { createEngine } from "../../pkg/client/engine.js";
import { SynthError } from "../../pkg/errors.js";
import { macrotask } from "../../pkg/macrotask.js";
import { Core } from "../../pkg/worker/core.js";
import { Control } from "./fake-wasm.js";

export const SPEC = { task: "language-model", attention: "random" };
export const DATA = { text: "abab ".repeat(50) };
export const NO_GPU = { webgpu: false, reason: "No GPU in this test." };
export const GPU = { webgpu: true, adapter: { vendor: "acme", architecture: "one", software: false } };

/**
 * A place whose workers are cores in this thread. `workers` holds the ends of them all, to break them.
 *
 * @param {Control} control
 */
export function place(control, { support = NO_GPU, inWorker = support, now = () => performance.now() } = {}) {
  const workers = [];
  const host = {
    support: async () => support,
    spawn: async () => {
      const { port1, port2 } = new MessageChannel();
      const core = new Core({
        post: (message, transfer) => port2.postMessage(message, transfer),
        load: (source) => control.load(source, (words) => core.note(words)),
        pause: macrotask,
        now,
        support: async () => inWorker,
      });
      control.error = (words) => core.note(words);
      const worker = { core, closed: false, held: false, messages: [], channels: [], fail: () => {} };
      workers.push(worker);
      port2.on("message", (message) => {
        worker.messages.push(message);
        const { port, ports = [] } = message.args ?? {};
        worker.channels.push(...(port ? [port] : ports));
        if (!worker.closed) core.receive(message);
      });
      port2.postMessage({ type: "hello" });
      return {
        post: (message, transfer) => port1.postMessage(message, transfer),
        listen(onMessage, onError) {
          port1.on("message", onMessage);
          worker.fail = onError;
        },
        hold: (busy) => (worker.held = busy),
        async close() {
          worker.closed = true;
          for (const channel of [port1, ...worker.channels]) channel.close();
        },
      };
    },
  };
  return { host, workers };
}

/** An engine that is gone when the test is over. */
export async function engineFor(
  t,
  { control = new Control(), options = { device: "cpu" }, ...surroundings } = {},
) {
  const { host, workers } = place(control, surroundings);
  const engine = await createEngine(options, host);
  t.after(() => engine.dispose());
  return { engine, control, workers, host };
}

export async function modelFor(t, settings) {
  const bench = await engineFor(t, settings);
  return { ...bench, model: await bench.engine.createModel(SPEC, DATA) };
}

/** All that an async generator yields, and what it returns. */
export async function drain(generator) {
  const yielded = [];
  for (;;) {
    const { done, value } = await generator.next();
    if (done) return { yielded, returned: value };
    yielded.push(value);
  }
}

/** The promise must reject with a SynthError of this code; its details must hold these. */
export async function rejects(promise, code, details = {}) {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof SynthError, `not a SynthError: ${error?.stack ?? error}`);
    assert.equal(error.name, "SynthError");
    assert.equal(error.code, code, error.message);
    for (const [name, value] of Object.entries(details)) assert.deepEqual(error.details?.[name], value, name);
    return error;
  }
  assert.fail(`no error; ${code} was expected`);
}

/** A promise with its settlers. */
export function gate() {
  let open = () => {};
  const promise = new Promise((resolve) => (open = resolve));
  return { promise, open };
}
