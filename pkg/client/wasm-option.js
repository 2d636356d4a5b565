/**
 * The option `wasm`: the ways to say where the WebAssembly file is, brought into a form that can cross to a worker.
 *
 * @module
 */

import { SynthError, invalidOption, isSynthError, wordsOf } from "../errors.js";
import { builtin } from "../builtin.js";
import { viewOf } from "./upload.js";

/** @import { EngineOptions } from "../contract.js" */
/** @import { WasmSource } from "../protocol.js" */

const EXPECTED = "a URL, a Response, the bytes of synthattn_bg.wasm, or a WebAssembly.Module";

/**
 * @param {EngineOptions["wasm"]} wasm
 * @returns {Promise<WasmSource>}
 */
export async function wasmSource(wasm) {
  if (wasm === undefined) return { default: true };
  if (typeof wasm === "string") return { url: await absolute(wasm) };
  try {
    const source = await sourceOf(wasm);
    if (source) return source;
  } catch (error) {
    throw isSynthError(error) ? error : invalidOption("wasm", wasm, `${EXPECTED} (${wordsOf(error)})`);
  }
  throw invalidOption("wasm", wasm, EXPECTED);
}

/**
 * Looks into what it is given, so that what is only a proxy of such a thing, or was handed over to somebody else, is
 * refused here: it cannot cross to a worker.
 *
 * @param {unknown} wasm
 * @returns {Promise<WasmSource | undefined>}
 */
async function sourceOf(wasm) {
  if (wasm instanceof URL) return { url: wasm.href };
  if (typeof Response === "function" && wasm instanceof Response) return { bytes: await body(wasm) };
  if (wasm instanceof WebAssembly.Module) return WebAssembly.Module.customSections(wasm, "") && { module: wasm };
  const bytes = viewOf(wasm);
  return bytes && { bytes };
}

/**
 * Relative to the page; in Node, a path or a file URL.
 *
 * @param {string} url
 */
async function absolute(url) {
  const { document, location } = globalThis;
  try {
    if (location) return new URL(url, document?.baseURI ?? location.href).href;
    // One letter before the colon is a drive, not a scheme.
    if (/^[a-z][a-z0-9+.-]+:/i.test(url)) return new URL(url).href;
    return (await builtin("node:url")).pathToFileURL(url).href;
  } catch {
    throw invalidOption("wasm", url, EXPECTED);
  }
}

/**
 * A Response cannot cross to a worker; its body can.
 *
 * @param {Response} response
 */
async function body(response) {
  if (!response.ok || response.bodyUsed) {
    const reason = response.bodyUsed ? "its body was read already" : `the server answered ${response.status}`;
    throw new SynthError("invalid-option", `The Response given as wasm cannot be used: ${reason}.`, {
      option: "wasm",
      value: response.url,
      expected: EXPECTED,
    });
  }
  return response.arrayBuffer();
}
