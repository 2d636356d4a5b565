// What a race lets be said of speeds: nothing where there is only noise, and what there is where there is enough of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { medianInterval, paceOf, speedVerdict } from "../../www/pace.js";
import { newEntry, revived } from "../../www/entry.js";

/** Numbers from 0 to 1, the same for the same seed. @param {number} seed */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const normal = (next) => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/**
 * A race in which reports are made in turn. `noise`: of each report, as a share; `drift`: of the machine, for all kinds;
 * `memory`: how much of a report's noise is left in the next.
 */
function race(speeds, { seed = 1, rounds = 10, noise = 0.3, drift = 0.2, memory = 0, seconds = 30 } = {}) {
  const next = numbers(seed);
  const entries = Object.keys(speeds).map((kind) => ({ ...newEntry(kind, {}), seconds }));
  const own = entries.map(() => normal(next));
  let machine = 0;
  for (let round = 1; round <= rounds; round += 1) {
    machine = 0.8 * machine + 0.6 * drift * normal(next);
    for (const [index, entry] of entries.entries()) {
      own[index] = memory * own[index] + Math.sqrt(1 - memory ** 2) * normal(next);
      entry.speeds.push(speeds[entry.kind] * Math.exp(machine + noise * own[index]));
      entry.ends.push(20 * round);
    }
  }
  return entries;
}

const RACES = 400;
const shareOf = (count, is) => Array.from({ length: count }, (_, index) => is(index + 1)).filter(Boolean).length / count;
const verdictOf = (entries) => speedVerdict(entries, entries[0])?.verdict;

for (const [name, options] of Object.entries({
  "five reports each": { rounds: 5 },
  "ten reports each": { rounds: 10 },
  "fifty reports each": { rounds: 50 },
  "ninety reports, each like the one before": { rounds: 90, memory: 0.6 },
})) {
  test(`equal kinds with noise are told apart in one race of twenty at most: ${name}`, () => {
    const equal = { vanilla: 40, random: 40, dense: 40, "random+vanilla": 40 };
    const told = shareOf(RACES, (seed) => ["faster", "slower"].includes(verdictOf(race(equal, { ...options, seed }))));
    assert.ok(told <= 0.05, `${told} of the races`);
  });
}

test("kinds that differ clearly are told apart, with the factor within its interval", () => {
  let held = 0;
  for (let seed = 1; seed <= RACES; seed += 1) {
    const entries = race({ vanilla: 40, random: 60, dense: 30 }, { seed, rounds: 25, noise: 0.1 });
    const { verdict, fastest, pace } = speedVerdict(entries, entries[0]);
    assert.equal(verdict, "faster", `seed ${seed}`);
    assert.equal(fastest.kind, "random");
    assert.ok(pace.low > 1 && pace.low <= pace.factor && pace.factor <= pace.high);
    if (pace.low <= 1.5 && pace.high >= 1.5) held += 1;
  }
  assert.ok(held / RACES >= 0.95, `${held} of ${RACES} hold the factor`);
});

test("slower is said when it is true of all, and level when the interval hardly leaves 1", () => {
  assert.equal(verdictOf(race({ vanilla: 40, random: 30, dense: 20 }, { rounds: 25, noise: 0.05 })), "slower");
  assert.equal(verdictOf(race({ vanilla: 40, random: 40 }, { rounds: 200, noise: 0.01 })), "level");
  const mixed = race({ vanilla: 40, random: 38, dense: 20 }, { rounds: 25, noise: 0.3 });
  assert.equal(verdictOf(mixed), "open");
});

test("one that surely is faster is told of before one that only may be", () => {
  const [vanilla, random] = race({ vanilla: 40, random: 50 }, { rounds: 25, noise: 0.01 });
  const [, dense] = race({ vanilla: 40, dense: 60 }, { rounds: 25, noise: 1, seed: 3 });
  const { factor, low } = paceOf(dense, vanilla, 2);
  assert.ok(factor > 1.3 && low < 1, `${factor} from ${low}`);
  const { verdict, fastest } = speedVerdict([vanilla, random, dense], vanilla);
  assert.deepEqual([verdict, fastest.kind], ["faster", "random"]);
});

test("too few reports or seconds tell nothing, however far apart", () => {
  assert.equal(verdictOf(race({ vanilla: 40, random: 80 }, { rounds: 5, noise: 0 })), "short");
  assert.equal(verdictOf(race({ vanilla: 40, random: 80 }, { rounds: 50, noise: 0, seconds: 0.5 })), "short");
  assert.equal(verdictOf(race({ vanilla: 40, random: 80 }, { rounds: 6, noise: 0 })), "faster");
  assert.equal(verdictOf([newEntry("vanilla", {}), newEntry("random", {})]), undefined);
  assert.equal(speedVerdict(race({ vanilla: 40, random: 80 }), undefined), undefined);
});

test("reports are paired by their steps: what slowed the machine down slowed both", () => {
  const [vanilla, random] = race({ vanilla: 40, random: 50 }, { rounds: 30, noise: 0.001, drift: 2 });
  const { low, high } = paceOf(random, vanilla, 1);
  assert.ok(low > 1.24 && high < 1.26, `${low} to ${high}`);
  random.ends = random.ends.map((end) => end + 1);
  assert.equal(paceOf(random, vanilla, 1).low, undefined);
  assert.deepEqual(paceOf(vanilla, vanilla, 1), { factor: 1 });
});

test("a record of an earlier version, which kept no steps of its speeds, has no interval", () => {
  const [vanilla, random] = race({ vanilla: 40, random: 80 }, { rounds: 30 }).map((entry) => {
    const { ends: _, model: __, ...record } = entry;
    return revived(record, { step: 600 });
  });
  assert.equal(verdictOf([vanilla, random]), "short");
});

test("the interval of a median is that of the table of signs", () => {
  const values = Array.from({ length: 20 }, (_, index) => index + 1);
  assert.deepEqual(medianInterval(values, 0.05), { low: 6, high: 15 });
  assert.deepEqual(medianInterval(values.slice(0, 6).reverse(), 0.05), { low: 1, high: 6 });
  assert.equal(medianInterval(values.slice(0, 5), 0.05), undefined);
  assert.equal(medianInterval([], 0.05), undefined);
});
