// The page's kept comparisons without a page: what is on disk, what is offered, and what goes when something fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import { IDBObjectStore } from "fake-indexeddb";
import { Engine, SynthError } from "synthattn";
import { keep, kept } from "synthattn/keep";
import { Keeper } from "../../www/keeping.js";
import { keepData, keptData, namesOfData } from "../../www/store.js";
import { becomeBrowser } from "./fake-browser.js";
import { FakeModel } from "./fake-model.js";

const DATABASE = { database: "synthattn-comparisons" };
const TEXT = "to be or not to be ".repeat(20);

/** An order as the page makes them. */
const orderOf = (options = {}) => ({
  specs: [],
  data: { name: "own", task: "language-model", title: "", training: { text: TEXT }, text: TEXT, test: [] },
  options: { steps: 100, ...options },
  settings: "#settings",
});

const entryOf = (model) => ({ id: "m1", kind: "random", model, points: [], held: [], phase: "training" });

/** The bench, as far as keeping looks at it. */
class FakeLab extends EventTarget {
  phase = "idle";
  order;
  entries = [];
  hiddenSteps;

  get busy() {
    return !["idle", "stopped", "done", "failed"].includes(this.phase);
  }

  enter(phase) {
    this.phase = phase;
    this.dispatchEvent(new Event("phase"));
  }

  run(order, entries) {
    this.order = order;
    this.entries = entries;
    this.enter("running");
  }

  async restore(order, files) {
    const entries = files.map(({ record }) => ({ ...entryOf(new FakeModel()), ...record }));
    for (const { model, points } of entries) model.step = points.length;
    this.run(order, entries);
  }
}

function keeperOf(lab) {
  return new Keeper(lab, { hash: () => "#settings", open() {}, settings: { device: "cpu" } });
}

/** Lets storage do what it was told. */
const settle = async () => {
  for (let i = 0; i < 200; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Makes writes of the page's own data fail as those of a full disk do; gives a function that mends it. */
function noRoomForData(t) {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...args) {
    if (this.name === "kept") throw new DOMException("it is full", "QuotaExceededError");
    return put.apply(this, args);
  };
  const mend = () => (IDBObjectStore.prototype.put = put);
  t.after(mend);
  return mend;
}

/** A comparison that another visit left, without its data if so wanted. */
async function leave(name, data = true, step = 20) {
  const note = () => ({ version: 1, settings: "", order: orderOf(), records: [], finished: false });
  const model = Object.assign(new FakeModel(), { step });
  await (await keep({ m1: model }, { ...DATABASE, name, note })).stop();
  if (data) await keepData(name, { text: TEXT, training: [], test: [] });
}

const offered = ({ offers }) => offers.map(({ name }) => name);
const onDisk = async () => (await kept(DATABASE)).map(({ name }) => name).sort();

/** All locks are free, as when the tab that had them was closed. */
function becomeAnotherTab() {
  const { locks } = globalThis.navigator;
  globalThis.navigator.locks = new locks.constructor();
}

test("a comparison that is brought back is not written again, and stays whatever becomes of the disk", async (t) => {
  becomeBrowser(t);
  const first = new FakeLab();
  const earlier = keeperOf(first);
  const points = Array.from({ length: 20 }, (_, index) => ({ step: index + 1 }));
  first.run(orderOf(), [{ ...entryOf(Object.assign(new FakeModel(), { step: 20 })), points }]);
  await settle();
  assert.equal(earlier.kept?.step, 20);
  // The visit ends: its name is given back, what it kept stays.
  const [{ name }] = await kept(DATABASE);
  becomeAnotherTab();
  const lab = new FakeLab();
  const keeper = keeperOf(lab);
  await keeper.look();
  assert.deepEqual(offered(keeper), [name]);
  const data = await keptData(name);
  noRoomForData(t);
  await keeper.restore(keeper.offers[0]);
  await settle();
  assert.deepEqual(await onDisk(), [name]);
  assert.deepEqual(await keptData(name), data);
  assert.equal(keeper.problem, undefined);
  assert.equal(keeper.kept?.name, name);
});

test("a comparison that made no step is not offered, and does not stay", async (t) => {
  becomeBrowser(t);
  await leave("none", true, 0);
  await leave("some");
  const keeper = keeperOf(new FakeLab());
  await keeper.look();
  assert.deepEqual(offered(keeper), ["some"]);
  assert.deepEqual(await onDisk(), ["some"]);
  assert.deepEqual(await namesOfData(), ["some"]);
});

test("a page that opens itself anew comes back to a comparison that made no step too", async (t) => {
  becomeBrowser(t);
  await leave("none", true, 0);
  const keeper = keeperOf(new FakeLab());
  keeper.awaited = "none";
  await keeper.look();
  assert.deepEqual(offered(keeper), ["none"]);
});

test("a run is kept again within seconds", async (t) => {
  becomeBrowser(t);
  const lab = new FakeLab();
  const keeper = keeperOf(lab);
  const model = new FakeModel();
  lab.run(orderOf(), [entryOf(model)]);
  await settle();
  assert.equal(keeper.kept?.step, 0);
  model.step = 20;
  const from = performance.now();
  while (keeper.kept?.step !== 20 && performance.now() - from < 10_000) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(performance.now() - from < 5000, "it takes longer than five seconds");
});

test("a comparison that another tab discarded while it was brought back is kept with its data again", async (t) => {
  becomeBrowser(t);
  await leave("both");
  const lab = new FakeLab();
  const keeper = keeperOf(lab);
  await keeper.look();
  const { restore } = lab;
  lab.restore = async (order) => {
    const elsewhere = keeperOf(new FakeLab());
    await elsewhere.look();
    await elsewhere.discard(elsewhere.offers[0]);
    await restore.call(lab, order, [{ record: { points: [], held: [] }, file: new Uint8Array() }]);
  };
  await keeper.restore(keeper.offers[0]);
  await settle();
  assert.deepEqual(await onDisk(), ["both"]);
  assert.equal((await keptData("both"))?.text, TEXT);
});

test("without room for its data nothing of a comparison stays, and none is shown as kept", async (t) => {
  becomeBrowser(t);
  const mend = noRoomForData(t);
  const lab = new FakeLab();
  const keeper = keeperOf(lab);
  const shown = [];
  keeper.addEventListener("kept", () => shown.push(keeper.kept?.step));
  lab.run(orderOf(), [entryOf(new FakeModel())]);
  await settle();
  assert.equal(keeper.problem?.code, "storage-full");
  assert.equal(keeper.kept, undefined);
  assert.deepEqual(shown, [0, undefined]);
  assert.deepEqual(await onDisk(), []);
  mend();
  lab.run(orderOf(), [entryOf(new FakeModel())]);
  await settle();
  assert.equal(keeper.problem, undefined);
  assert.equal((await onDisk()).length, 1);
  assert.equal((await namesOfData()).length, 1);
});

test("models whose data never came are removed, and take no place of those that can be brought back", async (t) => {
  becomeBrowser(t);
  for (const name of ["a", "b", "c", "d"]) await leave(name);
  for (const name of ["w", "x", "y", "z"]) await leave(name, false);
  await keepData("data alone", { text: TEXT, training: [], test: [] });
  const keeper = keeperOf(new FakeLab());
  await keeper.look();
  assert.deepEqual(offered(keeper).sort(), ["a", "b", "c", "d"]);
  assert.deepEqual(await onDisk(), ["a", "b", "c", "d"]);
  assert.deepEqual((await namesOfData()).sort(), ["a", "b", "c", "d"]);
});

test("what another tab is just taking is left to it, and the others are offered", async (t) => {
  becomeBrowser(t);
  for (const name of ["a", "b", "c", "d", "e", "f"]) await leave(name);
  const [, , , , , oldest] = await kept(DATABASE);
  const { locks } = globalThis.navigator;
  // Taken between the look and the removal: nobody has it when asked who has what.
  t.mock.method(locks, "query", async () => ({ held: [] }));
  void locks.request(`${DATABASE.database}: ${oldest.name}`, {}, () => new Promise(() => {}));
  const keeper = keeperOf(new FakeLab());
  await keeper.look();
  assert.equal(offered(keeper).length, 4);
  assert.deepEqual(await onDisk(), [...offered(keeper), oldest.name].sort());
});

for (const [when, end] of [["as", queueMicrotask], ["after", setImmediate]]) {
  test(`a short run whose first snapshot fell between its last step and its score is kept when it ends, ${when} that is seen`, async (t) => {
    becomeBrowser(t);
    const lab = new FakeLab();
    const keeper = keeperOf(lab);
    const model = new FakeModel();
    const entry = entryOf(model);
    const { save } = model;
    model.save = async () => {
      model.step = 20;
      return save.call(model);
    };
    const held = [];
    const finish = () => {
      held.push({ step: 20, seconds: 1, loss: 1, whole: true });
      lab.enter("done");
    };
    let looks = 0;
    // Whether it is scored is asked when the model's file is there.
    Object.defineProperty(entry, "held", {
      get() {
        if ((looks += 1) === 1) end(finish);
        return held;
      },
      enumerable: true,
    });
    lab.run(orderOf({ steps: 20, validation: 0.1 }), [entry]);
    await settle();
    assert.equal(lab.phase, "done");
    assert.equal(keeper.kept?.step, 20);
    assert.equal(keeper.kept?.note.finished, true);
    assert.equal((await onDisk()).length, 1);
    assert.deepEqual(await namesOfData(), await onDisk());
  });
}

test("a run that was stopped before it was scored is tried again when it goes on, not over and over", async (t) => {
  becomeBrowser(t);
  const lab = new FakeLab();
  const keeper = keeperOf(lab);
  const model = new FakeModel();
  const entry = entryOf(model);
  model.step = 20;
  lab.run(orderOf({ steps: 20, validation: 0.1 }), [entry]);
  lab.enter("stopped");
  await settle();
  assert.equal(keeper.kept, undefined);
  assert.ok(model.saves <= 2, `${model.saves} times`);
  lab.enter("running");
  await settle();
  entry.held.push({ step: 20, seconds: 1, loss: 1, whole: true });
  lab.enter("done");
  await settle();
  assert.equal(keeper.kept?.step, 20);
  assert.equal((await onDisk()).length, 1);
});

test("a write that a request breaks off says why", async (t) => {
  becomeBrowser(t);
  await keepData("twice", { text: TEXT, training: [], test: [] });
  t.mock.method(IDBObjectStore.prototype, "put", IDBObjectStore.prototype.add);
  await assert.rejects(keepData("twice", { text: TEXT, training: [], test: [] }), { name: "ConstraintError" });
});

test("models are moved to another engine all or none: those that were loaded are disposed of", async (t) => {
  becomeBrowser(t);
  globalThis.navigator.languages = ["en"];
  const { Lab } = await import("../../www/lab.js");
  const alive = new Set();
  const load = async () => {
    const model = { dispose: async () => void alive.delete(model) };
    alive.add(model);
    return model;
  };
  t.mock.method(Engine, "create", async () => ({ load, lost: new Promise(() => {}), dispose: async () => {} }));
  const lab = new Lab();
  await lab.start("cpu");
  const error = new SynthError("out-of-memory", "There is no memory for the second.");
  const entries = [entryOf(new FakeModel()), entryOf({ save: () => Promise.reject(error) })];
  const models = entries.map(({ model }) => model);
  Object.assign(lab, { entries, order: orderOf(), phase: "failed" });
  const said = new Promise((resolve) => lab.addEventListener("fail", ({ detail }) => resolve(detail)));
  await lab.goOn("cpu");
  assert.equal(await said, error);
  assert.equal(alive.size, 0, "a model is left in the engine");
  assert.deepEqual(lab.entries.map(({ model }) => model), models);
});
