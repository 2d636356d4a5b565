// The same over real Node workers: the process may end, a worker may be killed in the middle of a step.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { createEngine } from "../../pkg/client/engine.js";
import { nodePort } from "../../pkg/spawn.js";
import { DATA, NO_GPU, SPEC, drain, rejects } from "./bench.js";

/** Workers after the first are in order. */
function host(workerData) {
  const url = new URL("./fake-worker.js", import.meta.url);
  let started = 0;
  return {
    support: async () => NO_GPU,
    spawn: async () =>
      nodePort(new Worker(url, { workerData: (started += 1) === 1 ? workerData : undefined, stderr: true })),
  };
}

test("a model trains, writes and is saved across a real worker", async () => {
  const engine = await createEngine({ device: "cpu" }, host());
  const model = await engine.createModel(SPEC, { text: "ab".repeat(2_000_000) });
  assert.equal((await drain(model.train({ steps: 40 }))).yielded.length, 2);
  assert.equal((await drain(model.generate("a", { maxTokens: 4 }))).yielded.join(""), "<2><4>");
  const again = await engine.load(await model.save(), DATA);
  assert.equal(again.step, 40);
  await rejects(engine.createModel({ ...SPEC, dModel: "wide" }, DATA), "invalid-option", {
    option: "dModel",
  });
  await engine.dispose();
});

test("dispose ends a worker that is in the middle of a step", async () => {
  const engine = await createEngine({ device: "cpu" }, host({ breakAt: "trainStep", how: "loop" }));
  const model = await engine.createModel(SPEC, DATA);
  const pending = rejects(drain(model.train({ steps: 40 })), "aborted");
  await new Promise((resolve) => setTimeout(resolve, 50));
  await engine.dispose();
  await pending;
});

for (const how of ["panic", "exit"]) {
  test(`a worker that ends by itself (${how}) is replaced`, async () => {
    const engine = await createEngine({ device: "cpu" }, host({ breakAt: "report", how }));
    const model = await engine.createModel(SPEC, DATA);
    await rejects(drain(model.train({ steps: 40 })), "internal");
    assert.match((await engine.lost).message, how === "exit" ? /code 3/ : /unreachable/);
    assert.equal((await drain(model.train({ steps: 40 }))).yielded.length, 2);
    await engine.dispose();
  });
}

test("a script that forgot to dispose ends, but not before its answers came", async () => {
  const bench = JSON.stringify(new URL("./bench.js", import.meta.url).href);
  const from = (path) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { Worker } from "node:worker_threads";
    import { DATA, NO_GPU, SPEC } from ${bench};
    import { createEngine } from ${from("../../pkg/client/engine.js")};
    import { nodePort } from ${from("../../pkg/spawn.js")};
    const spawn = async () => nodePort(new Worker(new URL(${from("./fake-worker.js")}), { execArgv: [] }));
    const engine = await createEngine({ device: "cpu" }, { support: async () => NO_GPU, spawn });
    const model = await engine.createModel(SPEC, DATA);
    for await (const { step } of model.train({ steps: 40 })) console.log(step);
    model.save().then(({ length }) => console.log(length > 0));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    timeout: 20_000,
  });
  assert.equal(stdout, "20\n40\ntrue\n");
});
