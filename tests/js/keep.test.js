// Keeping work: what is on disk when, who may write it, and what is said when it can't be.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { IDBObjectStore } from "fake-indexeddb";
import { KeepError, Keeping, forget, keep, kept, recall } from "../../pkg/keep.js";
import { SynthError } from "../../pkg/errors.js";
import { becomeBrowser } from "./fake-browser.js";
import { FakeModel, SPEC } from "./fake-model.js";

const rejects = (promise, code, kind = KeepError) =>
  assert.rejects(promise, (error) => error instanceof kind && error.code === code && error.message.length > 20);

/** Lets storage do what it was told, with time standing still. */
const settle = async () => {
  for (let i = 0; i < 60; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Makes writes of slices fail from the `nth` on; gives a function that mends it. */
function noRoom(t, nth, name = "QuotaExceededError") {
  const { put } = IDBObjectStore.prototype;
  let calls = 0;
  IDBObjectStore.prototype.put = function (...args) {
    if (this.name === "slices" && (calls += 1) >= nth) throw new DOMException("it says so", name);
    return put.apply(this, args);
  };
  const mend = () => (IDBObjectStore.prototype.put = put);
  t.after(mend);
  return mend;
}

test("what is kept comes back byte by byte, with what is known of it", async (t) => {
  becomeBrowser(t);
  const model = new FakeModel();
  model.step = 480;
  const from = Date.now();
  const keeping = await keep(model, { name: "one", note: () => ({ curve: [3, 2, 1], from: new Map([[1, 2]]) }) });
  assert.ok(keeping instanceof Keeping);
  const file = await model.save();
  const [only, ...others] = await kept();
  assert.deepEqual(others, []);
  assert.ok(only.savedAt >= from && only.savedAt <= Date.now());
  const { savedAt, ...facts } = only;
  const about = { step: 480, spec: SPEC, size: file.length };
  assert.deepEqual(facts, {
    name: "one",
    ...about,
    models: [{ key: "model", ...about }],
    note: { curve: [3, 2, 1], from: new Map([[1, 2]]) },
    inUse: true,
  });
  const again = await recall("one");
  assert.deepEqual(again.file, file);
  assert.deepEqual(again.files, { model: file });
  assert.deepEqual({ ...again, file: undefined, files: undefined }, { ...only, file: undefined, files: undefined });
  assert.equal(await recall("two"), undefined);
  await keeping.stop();
  assert.equal((await kept())[0].inUse, false);
});

test("several models are one work; large files come back whole, and so do views on larger memory", async (t) => {
  becomeBrowser(t);
  const [large, small] = [new FakeModel(5_000_000), new FakeModel(10, { ...SPEC, dModel: 64 })];
  const whole = await small.save();
  const around = new Uint8Array(whole.length + 200).fill(7);
  around.set(whole, 100);
  small.save = async () => around.subarray(100, 100 + whole.length);
  const keeping = await keep({ large, small }, { name: "two" });
  const { files, models, size, spec } = await recall("two");
  assert.deepEqual(Object.keys(files), ["large", "small"]);
  assert.deepEqual(files.large, await large.save());
  assert.deepEqual(files.small, whole);
  assert.deepEqual(models.map((model) => model.spec.dModel), [32, 64]);
  assert.equal(spec.dModel, 32);
  assert.equal(size, files.large.length + whole.length);
  await keeping.stop({ forget: true });
  assert.deepEqual(await kept(), []);
  assert.equal(await recall("two"), undefined);
});

test("every so often, when hidden, when asked and at the end; never twice the same", async (t) => {
  const { document } = becomeBrowser(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const model = new FakeModel();
  const steps = [];
  const keeping = await keep(model, { name: "often", every: 30, onKept: ({ step }) => steps.push(step) });
  t.mock.timers.tick(30_000);
  await settle();
  assert.deepEqual(steps, [0], "nothing has moved");
  assert.equal(model.saves, 1);
  model.step = 20;
  t.mock.timers.tick(29_000);
  await settle();
  assert.deepEqual(steps, [0]);
  t.mock.timers.tick(1_000);
  await settle();
  assert.deepEqual(steps, [0, 20]);
  model.step = 40;
  document.hide();
  await settle();
  assert.deepEqual(steps, [0, 20, 40]);
  model.step = 60;
  assert.equal((await keeping.now()).step, 60);
  model.step = 80;
  await keeping.stop();
  assert.deepEqual(steps, [0, 20, 40, 60, 80]);
  model.step = 100;
  document.hide();
  t.mock.timers.tick(1_000_000);
  await settle();
  assert.equal((await recall("often")).step, 80);
  await rejects(keeping.now(), "disposed", SynthError);
});

test("whoever asks while it is written gets what there is after", async (t) => {
  becomeBrowser(t);
  const model = new FakeModel();
  const keeping = await keep(model, { name: "asked" });
  model.step = 1;
  const first = keeping.now();
  await new Promise((resolve) => setImmediate(resolve));
  model.step = 2;
  const [second, third] = [keeping.now(), keeping.now()];
  assert.deepEqual([(await first).step, (await second).step, (await third).step], [1, 2, 2]);
  assert.equal(model.saves, 3, "the two that came meanwhile are one");
  await keeping.stop();
});

test("two are never written at once, whenever they are asked for", async (t) => {
  becomeBrowser(t);
  let saving = 0;
  let most = 0;
  const model = new FakeModel();
  const { save } = model;
  model.save = async () => {
    most = Math.max(most, (saving += 1));
    await new Promise((resolve) => setImmediate(resolve));
    saving -= 1;
    return save.call(model);
  };
  const keeping = await keep(model, { name: "gap" });
  const asked = [keeping.now(), keeping.now()];
  // Also in the moment between the end of one and the beginning of the next.
  const again = (left) => {
    asked.push(keeping.now());
    if (left > 0) queueMicrotask(() => again(left - 1));
  };
  await asked[0].then(() => again(8));
  await Promise.all(asked);
  assert.equal(most, 1);
  const last = keeping.now();
  void keeping.now();
  await last;
  await keeping.stop({ forget: true });
  await settle();
  assert.deepEqual(await kept(), [], "a write came after it was forgotten");
});

test("a write that fails half-way leaves what was kept before whole; it is told once, until it works again", async (t) => {
  becomeBrowser(t);
  const { document } = globalThis;
  const model = new FakeModel(5_000_000);
  const problems = [];
  const keeping = await keep(model, { name: "full", onProblem: (problem) => problems.push(problem) });
  const before = await recall("full");
  const mend = noRoom(t, 2);
  globalThis.navigator.storage = { estimate: async () => ({ usage: 10, quota: 20 }) };
  model.step = 9;
  for (let i = 0; i < 3; i += 1) {
    document.hide();
    await settle();
  }
  assert.deepEqual(problems.map(({ code }) => code), ["storage-full"]);
  assert.equal(keeping.problem.code, "storage-full");
  assert.match(problems[0].message, /5\.0 MB .*whole.* download/s);
  const { needed, usage, quota } = problems[0].details;
  assert.deepEqual([usage, quota], [10, 20]);
  assert.equal(needed, (await model.save()).length);
  await rejects(keeping.now(), "storage-full");
  assert.deepEqual(await recall("full"), before);
  mend();
  document.hide();
  await settle();
  assert.equal(keeping.problem, undefined);
  assert.equal((await recall("full")).step, 9);
  noRoom(t, 1);
  model.step = 10;
  document.hide();
  await settle();
  assert.equal(problems.length, 2);
  await rejects(keeping.stop(), "storage-full");
  assert.equal((await kept())[0].inUse, false, "the name is given back all the same");
});

test("without room for the first snapshot, keep() itself says so and takes nothing", async (t) => {
  becomeBrowser(t);
  const mend = noRoom(t, 1);
  await rejects(keep(new FakeModel(), { name: "none" }), "storage-full");
  mend();
  assert.deepEqual(await kept(), []);
  await (await keep(new FakeModel(), { name: "none" })).stop();
});

test("storage that fails otherwise is called unavailable, with the browser's reason", async (t) => {
  becomeBrowser(t);
  noRoom(t, 1, "UnknownError");
  await assert.rejects(keep(new FakeModel(), { name: "odd" }), ({ code, details }) => {
    return code === "storage-unavailable" && details.reason === "it says so";
  });
});

test("one tab at a time has a name; a page that is on its way out is waited for", async (t) => {
  becomeBrowser(t);
  const first = await keep(new FakeModel(), { name: "shared" });
  await assert.rejects(keep(new FakeModel(), { name: "shared" }), ({ code, details, message }) => {
    return code === "in-use" && details.name === "shared" && /"shared", in this tab or another/.test(message);
  });
  await rejects(forget("shared"), "in-use");
  assert.ok(await recall("shared"), "reading is free");
  const other = await keep(new FakeModel(), { name: "other" });
  const elsewhere = await keep(new FakeModel(), { name: "shared", database: "another" });
  const second = keep(new FakeModel(), { name: "shared" });
  setTimeout(() => void first.stop(), 200);
  await (await second).stop();
  await forget("shared");
  await forget("shared");
  assert.deepEqual((await kept()).map(({ name }) => name), ["other"]);
  assert.deepEqual((await kept({ database: "another" })).map(({ name }) => name), ["shared"]);
  await Promise.all([other.stop(), elsewhere.stop()]);
});

test("a fresh model never takes the place of work that got further, unless told to", async (t) => {
  becomeBrowser(t);
  const model = new FakeModel();
  model.step = 480;
  await (await keep(model, { name: "far" })).stop();
  const fresh = new FakeModel();
  await assert.rejects(keep(fresh, { name: "far" }), ({ code, details }) => {
    return code === "already-kept" && details.step === 480 && details.name === "far";
  });
  assert.equal((await recall("far")).step, 480);
  await (await keep(model, { name: "far" })).stop(); // as recalled
  await (await keep(fresh, { name: "far", replace: true })).stop();
  assert.equal((await recall("far")).step, 0);
});

test("a model that a lost device took back does not take the place of what is kept; one that is gone is no problem", async (t) => {
  const { document } = becomeBrowser(t);
  const problems = [];
  const model = new FakeModel();
  model.step = 100;
  const keeping = await keep(model, { name: "lost", onProblem: (problem) => problems.push(problem) });
  model.step = 60;
  document.hide();
  await settle();
  assert.equal((await keeping.now()).step, 100);
  assert.equal((await recall("lost")).step, 100);
  model.step = 120;
  document.hide();
  await settle();
  assert.equal((await recall("lost")).step, 120);
  model.step = 140;
  model.save = async () => Promise.reject(new SynthError("disposed", "This model was disposed of."));
  document.hide();
  await settle();
  model.save = async () => Promise.reject(new SynthError("aborted", "The engine was disposed of."));
  document.hide();
  await settle();
  assert.deepEqual(problems, []);
  await assert.rejects(keeping.stop());
});

test("asked for, models that stand still are kept again with a new note", async (t) => {
  becomeBrowser(t);
  let note = "training";
  const keeping = await keep(new FakeModel(), { name: "noted", note: async () => note });
  note = "scored";
  assert.equal((await keeping.now()).note, "scored");
  note = "read";
  await keeping.stop();
  assert.equal((await recall("noted")).note, "read");
});

test("models may be replaced by others", async (t) => {
  becomeBrowser(t);
  let models = { a: new FakeModel() };
  const keeping = await keep(() => models, { name: "moved" });
  models = { a: new FakeModel(), b: new FakeModel() };
  assert.deepEqual((await keeping.now()).models.map(({ key }) => key), ["a", "b"]);
  await keeping.stop();
  assert.deepEqual(Object.keys((await recall("moved")).files), ["a", "b"]);
});

const broken = () => {
  throw new TypeError("the app has a fault");
};

test("a function for the models that fails for a while is told of, and keeping goes on", async (t) => {
  const { document } = becomeBrowser(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const errors = t.mock.method(console, "error", () => {});
  const model = new FakeModel();
  let models = () => model;
  const problems = [];
  const onProblem = (problem) => {
    problems.push(problem.code);
    broken();
  };
  const keeping = await keep(() => models(), { name: "faults", every: 30, onProblem });
  model.step = 20;
  for (const fault of [broken, () => ({})]) {
    models = fault;
    t.mock.timers.tick(30_000);
    await settle();
    document.hide();
    await settle();
  }
  assert.deepEqual(problems, ["internal", "invalid-option"]);
  assert.equal(errors.mock.callCount(), 2, "what onProblem throws is logged");
  assert.equal(keeping.problem.code, "invalid-option");
  models = () => model;
  t.mock.timers.tick(30_000);
  await settle();
  assert.equal(keeping.problem, undefined);
  assert.equal((await recall("faults")).step, 20);
  await keeping.stop();
});

test("what the app's own functions throw comes as an error of the package, and never undoes what is on disk", async (t) => {
  becomeBrowser(t);
  const errors = t.mock.method(console, "error", () => {});
  const model = new FakeModel();
  const told = ({ code, cause, message }) => code === "internal" && cause instanceof TypeError && /could not be kept/.test(message);
  await assert.rejects(keep(model, { name: "app", note: broken }), (error) => error instanceof SynthError && told(error));
  await assert.rejects(keep(broken, { name: "app" }), (error) => error instanceof SynthError && told(error));
  assert.deepEqual(await kept(), []);
  const keeping = await keep(model, { name: "app", onKept: broken });
  model.step = 20;
  assert.equal((await keeping.now()).step, 20);
  assert.equal(keeping.problem, undefined);
  assert.equal(errors.mock.callCount(), 2);
  await keeping.stop();
});

test("stop() refuses what it does not know, and goes on keeping", async (t) => {
  becomeBrowser(t);
  const keeping = await keep(new FakeModel(), { name: "stop" });
  for (const options of [{ forgt: true }, { forget: "no" }, null, "forget"]) {
    await rejects(keeping.stop(options), "invalid-option", SynthError);
  }
  assert.equal((await keeping.now()).name, "stop");
  await keeping.stop({ forget: true });
  await keeping.stop();
  assert.deepEqual(await kept(), []);
});

test("wrong arguments are refused by name", async (t) => {
  becomeBrowser(t);
  const model = new FakeModel();
  const wrong = {
    name: [{}, { name: "" }, { name: 3 }, { name: "x".repeat(201) }],
    every: [{ name: "a", every: 0 }, { name: "a", every: "30" }, { name: "a", every: NaN }, { name: "a", every: Infinity }, { name: "a", every: 86_401 }],
    note: [{ name: "a", note: {} }, { name: "a", note: () => () => {} }],
    onKept: [{ name: "a", onKept: 1 }],
    often: [{ name: "a", often: 1 }],
  };
  for (const [option, all] of Object.entries(wrong)) {
    for (const options of all) {
      await assert.rejects(keep(model, options), (error) => {
        return error instanceof SynthError && error.code === "invalid-option" && error.details.option === option;
      });
    }
  }
  for (const models of [undefined, {}, { a: 1 }, "model"]) await rejects(keep(models, { name: "a" }), "invalid-option", SynthError);
  await rejects(recall(""), "invalid-option", SynthError);
  await rejects(kept({ databse: "a" }), "invalid-option", SynthError);
  await rejects(keep({ a: { step: 0, save: async () => new Uint8Array(3) } }, { name: "a" }), "corrupt-file", SynthError);
  assert.deepEqual(await kept(), []);
});

const denied = () => {
  throw new DOMException("denied", "SecurityError");
};
const BLOCKED = {
  "blocked site data": { indexedDB: { get: denied } },
  "no IndexedDB": { indexedDB: { value: undefined } },
  "no https": { navigator: { value: {} }, isSecureContext: { value: false } },
  "an IndexedDB that refuses to open": { indexedDB: { value: { open: denied } } },
  "locks that are refused": { navigator: { value: { locks: { request: async () => denied(), query: async () => denied() } } } },
};

/** The reason stands in the message as it is in the details, between what cannot be and what to do. */
function saidOnce({ message, details }) {
  assert.equal(message, `Nothing can be kept here: ${details.reason}. Download the model's file instead.`);
  assert.doesNotMatch(details.reason, /kept|Download/);
  return true;
}

for (const [what, globals] of Object.entries(BLOCKED)) {
  test(`${what}: every call says that nothing can be kept, and what to do`, async (t) => {
    becomeBrowser(t, globals);
    for (const call of [() => keep(new FakeModel(), { name: "a" }), kept, () => recall("a"), () => forget("a")]) {
      await assert.rejects(call(), (error) => {
        assert.ok(error instanceof KeepError && error.code === "storage-unavailable");
        return saidOnce(error);
      });
    }
  });
}

test("in Node importing does nothing, and every call says that there is no storage", async () => {
  const script = `
    const before = Reflect.ownKeys(globalThis).length;
    const { keep, kept, recall, forget } = await import(${JSON.stringify(new URL("../../pkg/keep.js", import.meta.url).href)});
    const model = { step: 0, save: async () => new Uint8Array() };
    const codes = [];
    for (const call of [() => keep(model, { name: "a" }), kept, () => recall("a"), () => forget("a")])
      await call().catch(({ name, code, message, details }) => codes.push({ name, code, message, details }));
    console.log(JSON.stringify([Reflect.ownKeys(globalThis).length - before, codes]));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  const [more, errors] = JSON.parse(stdout);
  assert.equal(more, 0);
  assert.deepEqual(errors.map(({ name, code }) => `${name} ${code}`), Array(4).fill("KeepError storage-unavailable"));
  errors.forEach(saidOnce);
});
