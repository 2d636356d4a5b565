// The calls of a model but train(): queueing, generation, errors across the worker, what may cross at all.

import assert from "node:assert/strict";
import { test } from "node:test";
import { macrotask } from "../../pkg/macrotask.js";
import { DATA, SPEC, drain, engineFor, gate, modelFor, rejects } from "./bench.js";
import { synthError } from "./fake-wasm.js";

test("calls on one model queue in the order they were made and never overlap", async (t) => {
  const { model, control } = await modelFor(t);
  control.log.length = 0;
  // The fake traps on re-entry, and so would break one of these.
  await Promise.all([
    model.evaluate(DATA),
    model.save(),
    model.attention("ab"),
    model.train({ steps: 3 }).next(),
    drain(model.generate("a", { maxTokens: 2 })),
    model.weightHistogram("ab"),
    model.save(),
  ]);
  const first = [...new Set(control.log)].filter((name) => !/Next|end|settle|info/.test(name));
  assert.deepEqual(first.slice(0, 3), ["beginEvaluation", "save", "attention"]);
  assert.equal(control.instances, 1, "nothing broke");
});

test("a large upload keeps its place in the queue", async (t) => {
  const { model, control } = await modelFor(t);
  control.log.length = 0;
  await Promise.all([model.evaluate({ text: "ab".repeat(3_000_000) }), model.save()]);
  assert.ok(control.log.indexOf("beginEvaluation") < control.log.indexOf("save"), control.log.join(" "));
});

test("pieces come as they are made, whole characters only, and the summary is returned", async (t) => {
  const { model, control } = await modelFor(t);
  const writing = model.generate("a", { maxTokens: 5 });
  const { value } = await writing.next();
  assert.equal(value, "<2>");
  assert.equal(
    control.log.filter((name) => name === "generateNext").length,
    2,
    "no token before it is asked for",
  );
  const { yielded, returned } = await drain(writing);
  assert.deepEqual(yielded, ["<4>"]);
  const { seconds, tokensPerSecond, ...rest } = returned;
  assert.deepEqual(rest, { tokens: 5, reason: "length" });
  assert.ok(seconds > 0 && Math.abs(tokensPerSecond - 5 / seconds) < 1e-6);
});

test("a generation that ends with a piece yields it before the summary", async (t) => {
  const { model } = await modelFor(t);
  assert.deepEqual((await drain(model.generate("", { maxTokens: 4 }))).yielded, ["<2>", "<4>"]);
});

test("leaving a generation ends it; an abort takes effect at the next token", async (t) => {
  const { model, control } = await modelFor(t);
  for await (const piece of model.generate("a")) if (piece === "<4>") break;
  await model.save();
  assert.equal(control.log.filter((name) => name === "endGeneration").length, 1);

  const controller = new AbortController();
  let made = 0;
  control.before = (name) => void (name === "generateNext" && (made += 1) === 5 && controller.abort());
  await rejects(drain(model.generate("a", { signal: controller.signal })), "aborted");
  assert.ok(made <= 6, `${made} tokens`);
  await model.save();
  assert.equal(control.log.filter((name) => name === "endGeneration").length, 2);
});

test("aborting ends a call that waits, and one at work between its slices", async (t) => {
  const { model, control } = await modelFor(t);
  const controller = new AbortController();
  const { signal } = controller;
  const [inside, go] = [gate(), gate()];
  control.before = (name) => (name === "save" ? (inside.open(), go.promise) : undefined);
  const saving = model.save();
  const waiting = rejects(model.evaluate(DATA, { signal }), "aborted");
  await inside.promise;
  controller.abort();
  await waiting;
  go.open();
  await saving;
  assert.equal(control.log.includes("beginEvaluation"), false);

  const second = new AbortController();
  control.before = (name) => void (name === "evaluateNext" && second.abort());
  await rejects(model.evaluate(DATA, { signal: second.signal }), "aborted");
  assert.equal(control.log.filter((name) => name === "evaluateNext").length, 1);
  assert.equal(control.log.filter((name) => name === "endEvaluation").length, 1);
});

test("a translation is aborted between two tokens, ended, and the model goes on", async (t) => {
  const { model, control } = await modelFor(t);
  assert.equal(await model.translate("abc"), "ABC");
  assert.deepEqual(
    control.log.filter((name) => name.includes("ranslat")),
    ["beginTranslation", "translateNext", "translateNext", "translateNext", "endTranslation"],
  );
  control.log.length = 0;
  const controller = new AbortController();
  control.before = (name) => void (name === "translateNext" && controller.abort());
  await rejects(model.translate("abcdefgh", { signal: controller.signal }), "aborted");
  assert.deepEqual(control.log, ["beginTranslation", "translateNext", "endTranslation"]);
  control.before = () => {};
  await rejects(model.translate("abc", { beams: 0 }), "invalid-option", { option: "beams" });
  assert.equal(await model.translate("xy"), "XY");
});

test("no listener stays on a signal", async (t) => {
  const { model } = await modelFor(t);
  let listeners = 0;
  const signal = {
    aborted: false,
    addEventListener: () => (listeners += 1),
    removeEventListener: () => (listeners -= 1),
  };
  await drain(model.train({ steps: 60, validation: 0.1, signal }));
  await drain(model.generate("a", { signal }));
  await model.evaluate(DATA, { signal });
  await model.translate("abc", { signal });
  assert.equal(listeners, 0);
});

test("what Rust says arrives with its code and details, and the model goes on", async (t) => {
  const { engine, model, control } = await modelFor(t);
  const error = await rejects(engine.createModel({ ...SPEC, dModel: "wide" }, DATA), "invalid-option", {
    option: "dModel",
    value: '"wide"',
    expected: "a number",
  });
  assert.equal(error.message, "dModel must be a number");
  assert.match(error.stack, /^SynthError: dModel must be a number/);
  await rejects(engine.load(new Uint8Array([1, 2, 3])), "corrupt-file", { reason: "not JSON" });
  await rejects(model.classify("ab"), "wrong-task");
  await rejects(model.classifyAll([]), "wrong-task");
  await rejects(model.fill("[MASK]"), "wrong-task");
  await rejects(model.evaluate(DATA, { batch: 0 }), "invalid-option", { option: "batch" });
  control.before = (name) => {
    if (name === "attention")
      throw synthError("attention-unavailable", "none", { kind: "fnet", odd: () => {} });
  };
  const uncloneable = await rejects(model.attention("a"), "attention-unavailable");
  assert.equal(uncloneable.message, "none");
  control.before = () => {};
  assert.equal(control.instances, 1);
  await drain(model.train({ steps: 1 }));
});

for (const [what, value, option] of [
  ["a function", { ...SPEC, dModel: () => 3 }, "dModel"],
  ["a symbol", { ...SPEC, heads: Symbol("x") }, "heads"],
  ["a BigInt", { ...SPEC, layers: 2n }, "layers"],
  ["a date", { ...SPEC, seed: new Date() }, "seed"],
  ["a map", { ...SPEC, attention: new Map() }, "attention"],
  ["a function inside", { ...SPEC, attention: { kind: "random", rank: () => 8 } }, "attention.rank"],
  ["nothing", undefined, "spec"],
  ["a name", "random", "spec"],
  ["null", null, "spec"],
]) {
  test(`${what} in a spec is refused by name`, async (t) => {
    const { engine, control } = await engineFor(t);
    await rejects(engine.createModel(value, DATA), "invalid-option", { option });
    assert.equal(control.log.includes("createModel"), false);
  });
}

test("a spec without an end is refused", async (t) => {
  const { engine } = await engineFor(t);
  const spec = { ...SPEC };
  spec.attention = { kind: "random", again: spec };
  await rejects(engine.createModel(spec, DATA), "invalid-option");
});

test("a framework's proxy of a spec or of data is as good as the thing", async (t) => {
  const { engine, control } = await engineFor(t);
  const proxied = (target) =>
    new Proxy(target, {
      get: (object, name) => (typeof object[name] === "object" ? proxied(object[name]) : object[name]),
    });
  await engine.createModel(
    proxied({ ...SPEC, attention: { kind: "random" } }),
    proxied({ rows: [{ text: "a", label: 1 }] }),
  );
  assert.deepEqual(control.received, [{ rows: [{ text: "a", label: 1 }] }]);
});

test("arguments of the wrong type are refused by name", async (t) => {
  const { engine, model } = await modelFor(t);
  const refused = (promise, option) => rejects(promise, "invalid-option", { option });
  await refused(drain(model.generate(7)), "prompt");
  await refused(drain(model.generate("a", { stop: [() => {}] })), "stop[0]");
  await refused(drain(model.generate("a", { signal: 3 })), "signal");
  await refused(model.evaluate(DATA, "fast"), "options");
  await refused(model.evaluate(DATA, { signal: "now" }), "signal");
  await refused(model.attention(["a"]), "text");
  await refused(model.attention(undefined), "text");
  await refused(model.attention("a", { signal: new AbortController().signal }), "signal");
  await refused(model.weightHistogram(["a"]), "text");
  await refused(
    model.weightHistogram("a", () => {}),
    "bins",
  );
  await refused(model.classify(3), "text");
  await refused(model.classifyAll("ab"), "texts");
  await refused(model.classifyAll(["a", ["b"]]), "texts[1]");
  await refused(model.fill(3), "textWithMasks");
  await refused(model.translate(null), "source");
  await refused(engine.load("file"), "bytes");
  await refused(engine.load(undefined), "bytes");
});

test("texts are classified in slices, and answers come in order", async (t) => {
  const { engine, control } = await engineFor(t);
  const model = await engine.createModel({ ...SPEC, task: "classification" }, DATA);
  const texts = Array.from({ length: 40 }, (_, index) => `t${index}`);
  const answers = await model.classifyAll(texts);
  assert.deepEqual(
    answers.map(({ label }) => label),
    texts,
  );
  assert.deepEqual(
    control.received.slice(1).map(({ length }) => length),
    [16, 16, 8],
  );
  assert.equal((await model.classify("one")).label, "one");
  assert.equal((await model.classify(["one", "two"])).label, "one,two");
  const controller = new AbortController();
  control.before = (name) => void (name === "classifyAll" && controller.abort());
  await rejects(model.classifyAll(texts, { batch: 4, signal: controller.signal }), "aborted");
});

test("arrays arrive whole, and a view on linear memory leaves that memory alone", async (t) => {
  const { model } = await modelFor(t);
  const { edges, counts } = await model.weightHistogram("ab", 10);
  assert.equal(edges.length, 11);
  assert.equal(counts[0].length, 10);
  assert.deepEqual([...(await model.attention("ab")).weights], [1]);
  assert.deepEqual([...(await model.attention("ab", { part: "decoder" })).weights], [2]);
});

test("what a model says of itself", async (t) => {
  const { model } = await modelFor(t);
  assert.equal(model.spec.dModel, 64);
  assert.throws(() => (model.spec.dModel = 3), TypeError);
  assert.equal(model.parameterCount, 100);
  assert.equal(model.attentionParameterCount, 10);
  assert.deepEqual(model.vocabulary, ["[UNK]", "a", "b"]);
  assert.equal(model.labels, undefined);
  assert.equal(model.step, 0);
});

test("a saved model is loaded from bytes, a buffer, a view or a Blob, and goes on", async (t) => {
  const { engine, model } = await modelFor(t);
  await drain(model.train({ steps: 20 }));
  const bytes = await model.save();
  const padded = new Uint8Array([9, ...bytes, 9]);
  const forms = [bytes, bytes.buffer, padded.subarray(1, -1), Buffer.from(bytes), new Blob([bytes])];
  for (const form of forms) {
    const loaded = await engine.load(form, DATA);
    assert.equal(loaded.step, 20);
    assert.equal((await drain(loaded.train({ steps: 1 }))).yielded[0].step, 21);
  }
  assert.ok(bytes.length > 0, "the caller's bytes were not taken away");
});

test("a caller that does not wait leaves nothing unhandled", async (t) => {
  const { engine, model } = await modelFor(t);
  const writing = model.generate("a");
  await writing.next();
  const training = model.train({ steps: 100 });
  await training.next();
  writing.return();
  training.return();
  await engine.dispose();
  for (let task = 0; task < 10; task += 1) await macrotask();
});

test("options and data that throw when read are refused like others", async (t) => {
  const { engine, model } = await modelFor(t);
  const trap = () => {
    throw new Error("trap");
  };
  const trapped = (name) => Object.defineProperty({}, name, { get: trap, enumerable: true });
  await rejects(engine.createModel(trapped("task"), DATA), "invalid-option", { option: "spec" });
  await rejects(engine.createModel({ ...SPEC, attention: trapped("kind") }, DATA), "invalid-option", {
    option: "attention",
  });
  await rejects(drain(model.train(trapped("steps"))), "invalid-option", { option: "options" });
  await rejects(engine.createModel(SPEC, trapped("text")), "invalid-data");
  await rejects(engine.createModel(SPEC, { rows: [trapped("text")] }), "invalid-data");
  await drain(model.train({ steps: 1 }));
});
