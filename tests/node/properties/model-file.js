// Model files taken apart and put together again, and mistakes made in between.

import fc from "fast-check";

/** @typedef {{ header: Record<string, any>, data: Uint8Array }} Parts */

/** @param {Uint8Array} file @returns {Parts} */
export function parts(file) {
  const size = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + size)));
  return { header, data: file.subarray(8 + size) };
}

/** @param {Parts} parts */
export function assembled({ header, data }) {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil(text.length / 8) * 8;
  const file = new Uint8Array(8 + padded + data.length).fill(0x20, 8);
  new DataView(file.buffer).setBigUint64(0, BigInt(padded), true);
  file.set(text, 8);
  file.set(data, 8 + padded);
  return file;
}

/** Values that a header should not hold, or not there. */
const FALSE = [null, true, 0, -1, 1, 2, 7, 0.5, 4096, 65_536, 1e9, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, "", "a", "\u0000", [], [0], [1, 1e9], [2 ** 32, 2 ** 32], {}, { kind: "linformer" }, "F16", "I64", "fnet", "classification"];

const place = fc.nat(2 ** 20);
const mistake = fc.oneof(
  fc.record({ kind: fc.constant(/** @type {const} */ ("flip")), at: place, bit: fc.nat(7) }),
  // Near the front is the header, and most of what can go wrong.
  fc.record({ kind: fc.constant(/** @type {const} */ ("flip")), at: fc.nat(3000), bit: fc.nat(7) }),
  fc.record({ kind: fc.constant(/** @type {const} */ ("cut")), at: place }),
  fc.record({ kind: fc.constant(/** @type {const} */ ("remove")), at: place, length: fc.nat(64) }),
  fc.record({ kind: fc.constant(/** @type {const} */ ("insert")), at: place, bytes: fc.uint8Array({ maxLength: 64 }) }),
  fc.record({ kind: fc.constant(/** @type {const} */ ("size")), size: fc.bigInt(0n, 2n ** 64n - 1n) }),
  fc.record({ kind: fc.constant(/** @type {const} */ ("edit")), path: fc.array(fc.nat(400), { minLength: 1, maxLength: 6 }), value: fc.constantFrom(...FALSE) }),
  fc.record({ kind: fc.constant(/** @type {const} */ ("drop")), path: fc.array(fc.nat(400), { minLength: 1, maxLength: 6 }) }),
);
export const mistakes = fc.array(mistake, { minLength: 1, maxLength: 3 });

/** @typedef {typeof mistake extends import("fast-check").Arbitrary<infer M> ? M : never} Mistake */

/**
 * The file with a mistake in it; the same file where the mistake has no place.
 *
 * @param {Uint8Array} file
 * @param {Mistake} mistake
 * @returns {Uint8Array}
 */
export function mistaken(file, mistake) {
  if (file.length === 0) return file;
  const at = "at" in mistake ? mistake.at % file.length : 0;
  const copy = file.slice();
  if (mistake.kind === "flip") copy[at] ^= 1 << mistake.bit;
  if (mistake.kind === "cut") return copy.subarray(0, at);
  if (mistake.kind === "remove") return Uint8Array.from([...file.subarray(0, at), ...file.subarray(at + mistake.length)]);
  if (mistake.kind === "insert") return Uint8Array.from([...file.subarray(0, at), ...mistake.bytes, ...file.subarray(at)]);
  if (mistake.kind === "size" && file.length >= 8) new DataView(copy.buffer).setBigUint64(0, mistake.size, true);
  if (mistake.kind === "edit" || mistake.kind === "drop") {
    try {
      const { header, data } = parts(file);
      return assembled({ header: edited(header, mistake.path, (holder, key) => ("value" in mistake ? (holder[key] = mistake.value) : delete holder[key])), data });
    } catch {
      // An earlier mistake has left no header to edit.
      return file;
    }
  }
  return copy;
}

/**
 * Walks down by numbers; text that is JSON itself is gone into.
 *
 * @param {any} value
 * @param {number[]} path
 * @param {(holder: any, key: string) => void} edit
 * @returns {any}
 */
function edited(value, [first, ...rest], edit) {
  const keys = Object.keys(value);
  if (keys.length === 0) return value;
  const key = keys[first % keys.length];
  const inner = value[key];
  const text = typeof inner === "string" && /^[{[]/.test(inner) ? JSON.parse(inner) : undefined;
  if (rest.length > 0 && text !== undefined) value[key] = JSON.stringify(edited(text, rest, edit));
  else if (rest.length > 0 && typeof inner === "object" && inner !== null) value[key] = edited(inner, rest, edit);
  else edit(value, key);
  return value;
}
