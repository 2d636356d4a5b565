// Values that no caller should pass, by name: a failing property prints names, and a name makes a fresh value each time.

import fc from "fast-check";

/** @param {object} target */
function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** @returns {never} */
function fail() {
  throw new RangeError("thrown by the caller's own code");
}

const hostile = new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail });

/** Bytes that were handed over to somebody else. */
function detached() {
  const bytes = new Uint8Array(32);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

function cyclicObject() {
  /** @type {Record<string, unknown>} */
  const object = { kind: "vanilla" };
  object.self = object;
  return object;
}

function cyclicList() {
  /** @type {unknown[]} */
  const list = ["a"];
  list.push(list);
  return list;
}

/** Numbers stay small or beyond every limit: nothing in between makes a model that takes minutes. */
const NUMBERS = [0, -0, 1, 2, 3, 7, 16, 41, -1, -7, 0.5, 1.5, 1e-320, NaN, Infinity, -Infinity, 1e9, 2 ** 31, 2 ** 32, 2 ** 53, 1.7e308, -1e300];

/** @type {Record<string, () => unknown>} */
export const ODD = {
  ...Object.fromEntries(NUMBERS.map((value) => [`number ${Object.is(value, -0) ? "-0" : value}`, () => value])),
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  false: () => false,
  "empty string": () => "",
  "number in a string": () => "20",
  "lone surrogate": () => "\ud800",
  "NUL and line breaks": () => "\0\r\n\u2028",
  "long string": () => "x".repeat(100_000),
  "__proto__ as a string": () => "__proto__",
  bigint: () => 10n,
  symbol: () => Symbol("odd"),
  function: () => fail,
  class: () => class Odd {},
  "empty list": () => [],
  "list of holes": () => new Array(2),
  "list with a function on it": () => Object.assign(["a", "b"], { odd: fail }),
  "nested lists": () => [[["a"]], [1, [2]]],
  "list of everything": () => [undefined, null, NaN, "a", 1n, Symbol("odd"), {}, hostile],
  "cyclic list": cyclicList,
  "empty object": () => ({}),
  "cyclic object": cyclicObject,
  "object without a prototype": () => Object.create(null, { kind: { value: "vanilla", enumerable: true } }),
  "own __proto__": () => JSON.parse('{ "__proto__": { "steps": 2 }, "constructor": 1, "toString": "x" }'),
  "getter that throws": () => Object.defineProperty({}, "kind", { get: fail, enumerable: true }),
  "tag that throws": () => Object.defineProperty({}, Symbol.toStringTag, { get: fail }),
  "toString that throws": () => ({ toString: fail, [Symbol.toPrimitive]: fail, toJSON: fail }),
  "hostile proxy": () => hostile,
  "hostile list": () => new Proxy(["a", "b"], { get: fail }),
  "list of false length": () => new Proxy(["a"], { get: (target, name) => (name === "length" ? 2 ** 32 - 1 : Reflect.get(target, name)) }),
  "revoked proxy": () => revoked({}),
  "revoked list": () => revoked([]),
  "list in a proxy": () => new Proxy(["a", "b"], {}),
  "object in a proxy": () => new Proxy({ kind: "vanilla" }, {}),
  date: () => new Date(NaN),
  map: () => new Map([["kind", "vanilla"]]),
  set: () => new Set(["a"]),
  promise: () => Promise.resolve(1),
  error: () => new TypeError("odd"),
  "regular expression": () => /odd/,
  "boxed number": () => new Number(2),
  "boxed string": () => new String("vanilla"),
  bytes: () => new Uint8Array(32),
  "detached bytes": detached,
  "detached buffer": () => detached().buffer,
  "buffer in a proxy": () => new Proxy(new ArrayBuffer(32), {}),
  "shared bytes": () => new Uint8Array(new SharedArrayBuffer(32)),
  "false blob": () => Object.create(Blob.prototype),
  "false URL": () => Object.create(URL.prototype),
  "false signal": () => ({ aborted: false, addEventListener: fail, removeEventListener: fail }),
  "signal that cannot be left": () => ({ aborted: false, addEventListener() {} }),
  "signal whose state throws": () => Object.defineProperty({ addEventListener() {} }, "aborted", { get: fail }),
  "aborted signal": () => AbortSignal.abort(hostile),
};

/** The name of an odd value. */
export const oddName = () => fc.constantFrom(...Object.keys(ODD));

/** Names that objects have without being given them. */
const INHERITED = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "then", "signal", ""];

/**
 * Changes to an object: names of options, and of the odd values they become.
 *
 * @param {string[]} names
 */
export function changes(names) {
  const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.constantFrom(...INHERITED) });
  return fc.array(fc.tuple(name, oddName()), { minLength: 1, maxLength: 3 });
}

/**
 * @param {object} base
 * @param {[string, string][]} changes
 */
export function changed(base, changes) {
  const object = { ...base };
  for (const [name, odd] of changes) {
    // Plain assignment would set the prototype for `__proto__`.
    Object.defineProperty(object, name, { value: ODD[odd](), enumerable: true, configurable: true, writable: true });
  }
  return object;
}
