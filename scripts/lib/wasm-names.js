// What a wasm module's functions are called: read from its name section, the custom section of that name.
// WebAssembly core specification, "Binary Format" and "Custom Sections".

const CUSTOM = 0;
const FUNCTION_NAMES = 1;

/** The bytes of a module, from the first to the last. */
export class Reader {
  #bytes;
  #text = new TextDecoder("utf-8", { fatal: true });
  at = 0;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#bytes = bytes;
  }

  get ended() {
    return this.at >= this.#bytes.length;
  }

  byte() {
    if (this.ended) throw new Error("the module ends too early");
    return this.#bytes[this.at++];
  }

  /** An unsigned LEB128 number. */
  number() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  /** @param {number} length */
  bytes(length) {
    if (this.at + length > this.#bytes.length) throw new Error("the module ends too early");
    return this.#bytes.subarray(this.at, (this.at += length));
  }

  name() {
    return this.#text.decode(this.bytes(this.number()));
  }
}

/**
 * Function index to name, or undefined if the module has no names (they are optional, and the first thing to be stripped).
 *
 * @param {Uint8Array} wasm
 * @returns {Map<number, string> | undefined}
 */
export function functionNames(wasm) {
  const module = new Reader(wasm);
  if (String.fromCharCode(...module.bytes(4)) !== "\0asm") throw new Error("not a wasm module");
  module.bytes(4);
  while (!module.ended) {
    const id = module.byte();
    const section = new Reader(module.bytes(module.number()));
    if (id !== CUSTOM || section.name() !== "name") continue;
    while (!section.ended) {
      const part = section.byte();
      const content = new Reader(section.bytes(section.number()));
      if (part !== FUNCTION_NAMES) continue;
      /** @type {Map<number, string>} */
      const names = new Map();
      for (let left = content.number(); left > 0; left--) names.set(content.number(), content.name());
      return names;
    }
  }
  return undefined;
}

/**
 * The module without its custom sections: names and producers, a sixth of its size, which no engine needs to run it.
 *
 * @param {Uint8Array} wasm
 * @returns {Uint8Array}
 */
export function withoutCustomSections(wasm) {
  const module = new Reader(wasm);
  const kept = [module.bytes(8)];
  while (!module.ended) {
    const start = module.at;
    const id = module.byte();
    module.bytes(module.number());
    if (id !== CUSTOM) kept.push(wasm.subarray(start, module.at));
  }
  return Buffer.concat(kept);
}
