/**
 * From wherever the WebAssembly file is to a compiled module, and words for what can go wrong on the way.
 *
 * @module
 */

import { builtin } from "../builtin.js";
import { SynthError } from "../errors.js";

/** @import { WasmSource } from "../protocol.js" */

/**
 * @param {WasmSource} source
 * @param {URL} beside the file that comes with the package
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(source, beside) {
  if ("module" in source) return source.module;
  if ("bytes" in source)
    return compileBytes(asBytes(source.bytes), "The bytes given as wasm", given("bytes"));
  const url = "url" in source ? new URL(source.url) : beside;
  const fault = "url" in source ? given(url.href) : shipped(url.href);
  return fromUrl(url, fault);
}

/** Makes the error for one source. @typedef {(reason: string) => SynthError} Fault */

/**
 * @param {unknown} value
 * @returns {Fault}
 */
function given(value) {
  const expected = "the synthattn_bg.wasm of this version";
  return (reason) => new SynthError("invalid-option", reason, { option: "wasm", value, expected });
}

/**
 * @param {string} url
 * @returns {Fault}
 */
function shipped(url) {
  const hint = " Serve synthattn_bg.wasm there, or pass its URL as the option wasm.";
  return (reason) => new SynthError("internal", reason + hint, { url });
}

/**
 * @param {URL} url
 * @param {Fault} fault
 */
async function fromUrl(url, fault) {
  const file = `The WebAssembly file ${url.href}`;
  if (url.protocol === "file:" && /** @type {any} */ (globalThis).process?.versions?.node) {
    const { readFile } = await builtin("node:fs/promises");
    const bytes = await readFile(url).catch((/** @type {Error} */ { message }) => {
      throw fault(`${file} could not be read: ${message}.`);
    });
    return compileBytes(bytes, file, fault);
  }
  const response = await fetch(url, { credentials: "same-origin" }).catch(({ message }) => {
    throw fault(`${file} could not be fetched: ${message}.`);
  });
  if (!response.ok) throw fault(`${file} could not be fetched: the server answered ${response.status}.`);
  const type = response.headers.get("content-type") ?? "no type";
  // Compiling while it loads needs this very type, without parameters; servers that do not know it are common.
  if (type.trim().toLowerCase() === "application/wasm" && WebAssembly.compileStreaming) {
    return compiled(WebAssembly.compileStreaming(response), file, fault);
  }
  return compileBytes(
    new Uint8Array(await response.arrayBuffer()),
    `${file}, which the server calls ${type},`,
    fault,
  );
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {string} what
 * @param {Fault} fault
 */
async function compileBytes(bytes, what, fault) {
  const magic = [0x00, 0x61, 0x73, 0x6d];
  if (!magic.every((byte, index) => bytes[index] === byte)) {
    const page = bytes[0] === 0x3c ? " but looks like a web page" : "";
    throw fault(`${what} is not WebAssembly${page}.`);
  }
  return compiled(WebAssembly.compile(bytes), what, fault);
}

/**
 * @param {Promise<WebAssembly.Module>} compiling
 * @param {string} what
 * @param {Fault} fault
 */
async function compiled(compiling, what, fault) {
  try {
    return await compiling;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/unsafe-eval|content security policy/i.test(message)) {
      throw new SynthError(
        "internal",
        "The page's Content-Security-Policy forbids WebAssembly: allow script-src 'wasm-unsafe-eval'.",
      );
    }
    throw fault(`${what} could not be compiled: ${message}.`);
  }
}

/** @param {BufferSource} source */
function asBytes(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  return new Uint8Array(/** @type {ArrayBuffer} */ (source.buffer), source.byteOffset, source.byteLength);
}
