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
 * @param {URL} [beside] the file that comes with the package, if one does
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(source, beside) {
  if ("module" in source) return source.module;
  if ("bytes" in source)
    return compileBytes(asBytes(source.bytes), "The bytes given as wasm", given("bytes"));
  if ("gzip" in source) return compileBytes(await unpacked(source.gzip), "The WebAssembly in this script", packed);
  const url = "url" in source ? new URL(source.url) : beside;
  // An entry without a file asks for the option wasm before it starts a worker.
  if (!url) throw new TypeError("there is no file beside this worker");
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

/** @type {Fault} */
function packed(reason) {
  return new SynthError("internal", `${reason} The script may have been cut or changed on its way.`);
}

/** @param {string[]} gzip pieces of base64 */
async function unpacked(gzip) {
  if (typeof DecompressionStream !== "function")
    throw new SynthError("internal", "This browser is too old: it has no DecompressionStream.");
  try {
    const bytes = gzip.map((piece) => Uint8Array.from(atob(piece), (character) => character.charCodeAt(0)));
    const stream = new Blob(bytes).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (error) {
    throw packed(`The WebAssembly in this script could not be unpacked: ${error}.`);
  }
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
