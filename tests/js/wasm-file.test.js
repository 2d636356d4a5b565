// The ways to say where the WebAssembly file is, and the words when it is not there.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { wasmSource } from "../../pkg/client/wasm-option.js";
import { compile } from "../../pkg/worker/wasm-file.js";
import { rejects } from "./bench.js";

/** The smallest module: a header. */
const WASM = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const BROKEN = Uint8Array.from([...WASM, 99]);
const BESIDE = new URL("file:///nowhere/synthattn_bg.wasm");

const ANSWERS = {
  "/good.wasm": [200, "application/wasm", WASM],
  "/charset.wasm": [200, "application/wasm; charset=utf-8", WASM],
  "/octets.wasm": [200, "application/octet-stream", WASM],
  "/untyped.wasm": [200, undefined, WASM],
  "/html.wasm": [200, "text/html", "<!doctype html><title>app</title>"],
  "/html-typed.wasm": [200, "application/wasm", "<!doctype html>"],
  "/broken.wasm": [200, "application/wasm", BROKEN],
  "/broken-octets.wasm": [200, "application/octet-stream", BROKEN],
  "/empty.wasm": [200, "application/octet-stream", ""],
};

let server, origin, folder;

before(async () => {
  server = createServer((request, response) => {
    const [status, type, body] = ANSWERS[request.url] ?? [404, "text/html", "<h1>not here</h1>"];
    response.writeHead(status, type ? { "content-type": type } : {});
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  folder = await mkdtemp(join(tmpdir(), "synthattn-"));
  await writeFile(join(folder, "good.wasm"), WASM);
});

after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const load = async (wasm, beside = BESIDE) => compile(structuredClone(await wasmSource(wasm)), beside);
const fetched = (path) => fetch(origin + path);

for (const path of ["/good.wasm", "/charset.wasm", "/octets.wasm", "/untyped.wasm"]) {
  test(`${path} compiles, whatever the server calls it`, async () => {
    assert.ok((await load(origin + path)) instanceof WebAssembly.Module);
    assert.ok((await load(new URL(origin + path))) instanceof WebAssembly.Module);
    assert.ok((await load(await fetched(path))) instanceof WebAssembly.Module);
  });
}

test("bytes, a view on bytes, a module, a path and a file URL do", async () => {
  const padded = new Uint8Array([9, ...WASM, 9]);
  const file = join(folder, "good.wasm");
  const forms = [
    WASM,
    WASM.buffer,
    padded.subarray(1, -1),
    new DataView(padded.buffer, 1, WASM.length),
    await WebAssembly.compile(WASM),
  ];
  for (const form of [
    ...forms,
    file,
    relative(process.cwd(), file),
    pathToFileURL(file),
    pathToFileURL(file).href,
  ]) {
    assert.ok((await load(form)) instanceof WebAssembly.Module, String(form));
  }
  assert.ok((await load(undefined, pathToFileURL(file))) instanceof WebAssembly.Module);
});

for (const [path, reason] of [
  ["/missing.wasm", /missing\.wasm could not be fetched: the server answered 404/],
  ["/html.wasm", /calls text\/html, is not WebAssembly but looks like a web page/],
  ["/html-typed.wasm", /could not be compiled/],
  ["/broken.wasm", /could not be compiled/],
  ["/broken-octets.wasm", /could not be compiled/],
  ["/empty.wasm", /is not WebAssembly/],
]) {
  test(`${path} is refused with the reason`, async () => {
    const url = origin + path;
    const error = await rejects(load(url), "invalid-option", { option: "wasm", value: url });
    assert.match(error.message, reason);
    const shipped = await rejects(load(undefined, new URL(url)), "internal", { url });
    assert.match(shipped.message, reason);
    assert.match(shipped.message, /pass its URL as the option wasm/);
  });
}

test("a server that is not there, and a file that is not", async () => {
  const closed = "http://127.0.0.1:1/x.wasm";
  assert.match(
    (await rejects(load(closed), "invalid-option", { value: closed })).message,
    /could not be fetched/,
  );
  assert.match((await rejects(load(undefined), "internal")).message, /could not be read.*ENOENT/);
  await rejects(load("no-such-file.wasm"), "invalid-option", { option: "wasm" });
});

test("a response that failed or was read is refused", async () => {
  const failed = await rejects(load(await fetched("/missing.wasm")), "invalid-option", { option: "wasm" });
  assert.match(failed.message, /404/);
  const read = await fetched("/good.wasm");
  await read.arrayBuffer();
  assert.match((await rejects(load(read), "invalid-option")).message, /read already/);
  const html = await rejects(load(await fetched("/html.wasm")), "invalid-option");
  assert.match(html.message, /not WebAssembly but looks like a web page/);
});

test("a page that forbids WebAssembly is told what to allow", async (t) => {
  t.mock.method(WebAssembly, "compile", async () => {
    throw new WebAssembly.CompileError(
      "Compiling or instantiating WebAssembly module violates the following Content Security Policy directive",
    );
  });
  assert.match((await rejects(load(WASM), "internal")).message, /'wasm-unsafe-eval'/);
});

test("a module in the script is unpacked from gzip and base64", async () => {
  const packed = gzipSync(WASM);
  const gzip = [packed.subarray(0, 9), packed.subarray(9)].map((piece) => piece.toString("base64"));
  assert.ok((await compile({ gzip }, undefined)) instanceof WebAssembly.Module);
});

for (const [what, gzip] of [
  ["cut", gzipSync(WASM).toString("base64").slice(0, -8)],
  ["no base64", "§§§"],
  ["no gzip", Buffer.from("a page").toString("base64")],
  ["no WebAssembly", gzipSync("<!doctype html>").toString("base64")],
]) {
  test(`a module in the script that is ${what} is refused with words`, async () => {
    const { message } = await rejects(compile({ gzip: [gzip] }, undefined), "internal");
    assert.match(message, /in this script .*cut or changed on its way/);
  });
}
