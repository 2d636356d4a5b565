// A small static server for tests and benchmarks: several folders under paths of one origin, with chosen headers.

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/** What API.md asks of a page's Content-Security-Policy, on top of loading nothing from elsewhere. */
export const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:";

/** Lets a page use threads and precise clocks. */
export const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/**
 * @param {Record<string, string>} mounts URL path, ending in a slash, to folder, or URL path to one file
 * @param {Record<string, string>} [headers] sent with every file
 * @returns {Promise<{ origin: string, missing: string[], close: () => void }>}
 *   `missing` lists what was asked for and is not there
 */
export async function serve(mounts, headers = {}) {
  /** @type {string[]} */
  const missing = [];
  // The longest path that fits wins, so that a file can be laid over a folder.
  const order = Object.keys(mounts).sort((a, b) => b.length - a.length);

  /** @param {string} path */
  function find(path) {
    for (const mount of order) {
      if (!path.startsWith(mount)) continue;
      if (!mount.endsWith("/")) return path === mount ? mounts[mount] : undefined;
      const inside = normalize(path.slice(mount.length));
      if (inside.startsWith(`..${sep}`)) return undefined;
      const file = join(mounts[mount], inside === "." || inside.endsWith("/") ? join(inside, "index.html") : inside);
      return existsSync(file) && statSync(file).isFile() ? file : undefined;
    }
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = find(path);
    if (!file) {
      missing.push(path);
      response.writeHead(404, { "content-type": "text/plain" }).end(`${path} is not here`);
      return;
    }
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store", ...headers });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const close = () => (server.closeAllConnections(), server.close());
  return { origin: `http://127.0.0.1:${port}`, missing, close };
}
