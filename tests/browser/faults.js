// Pages in which something breaks: a server, and a prelude in front of the worker's script.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../../scripts/lib/paths.js";
import { POLICY, serve } from "../../scripts/lib/serve.js";
import { prelude } from "./fault-prelude.js";
import { openPage } from "./support.js";

/** @import { Browser, Page } from "playwright-core" */
/** @import { Fault } from "./fault-prelude.js" */

const folder = join(import.meta.dirname, "page");
const importMap = /<script type="importmap">([^]*?)<\/script>/.exec(readFileSync(join(folder, "index.html"), "utf8"))?.[1] ?? "";
const hash = createHash("sha256").update(importMap).digest("base64");
export const FAULT_POLICY = POLICY.replace("script-src 'self'", `script-src 'self' 'sha256-${hash}'`);

/** @param {string} [policy] */
export function serveFaults(policy = FAULT_POLICY) {
  return serve(
    { "/page/": folder, "/libraries/synthattn/": at("pkg"), "/tests/": import.meta.dirname, "/demo/": at("www", "dist") },
    { "content-security-policy": policy },
  );
}

/**
 * @typedef {object} Scene
 * @property {Fault} [worker] breaks in the worker
 * @property {Fault} [page] breaks in the page
 * @property {Record<string, { status?: number, contentType?: string, body?: string | Buffer }>} [answers] instead of files, by the end of their path
 */

/**
 * A page of its own, with what breaks in it.
 *
 * @template T
 * @param {Browser} browser
 * @param {{ origin: string }} server
 * @param {Scene} scene
 * @param {(page: Page) => Promise<T>} body
 * @returns {Promise<T>}
 */
export async function inFaultyPage(browser, server, { worker = {}, page: ownFault, answers = {} }, body) {
  const { page, context } = await openPage(browser, `${server.origin}/page/`);
  try {
    await prepare(page, worker, answers);
    if (ownFault) {
      await page.addInitScript(prelude, ownFault);
      await page.reload();
    }
    return await body(page);
  } finally {
    await context.close();
  }
}

/**
 * @param {Page} page
 * @param {Fault} fault
 * @param {NonNullable<Scene["answers"]>} answers
 */
export async function prepare(page, fault, answers = {}) {
  // The package's, or the demo's, whose name has a hash.
  await page.route(/\/worker(-[\w-]{8})?\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `(${prelude})(${JSON.stringify(fault)});\n${await response.text()}` });
  });
  for (const [path, answer] of Object.entries(answers)) await page.route(`**/${path}`, (route) => route.fulfill(answer));
}
