// Apps that install the packed package and nothing of this checkout, and what a person would see of them.

import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { launchChromium } from "../../scripts/lib/browser.js";
import { at, outputFolder } from "../../scripts/lib/paths.js";
import { serve } from "../../scripts/lib/serve.js";
import { filesBelow } from "../../scripts/lib/wasm.js";
import { openPage, until } from "../browser/support.js";

/** @import { Browser } from "playwright-core" */
/** @import { TestContext } from "node:test" */

const apps = at("tests", "packaging", "apps");
/** Bundlers ask their makers for news or tell them things; tests need no network but for installing. */
const QUIET = { NEXT_TELEMETRY_DISABLED: "1", DENO_NO_UPDATE_CHECK: "1", DO_NOT_TRACK: "1", NO_COLOR: "1" };

/**
 * What an app's `use.js` tells.
 *
 * @typedef {object} Outcome
 * @property {number[]} losses
 * @property {string} written
 * @property {import("synthattn").DeviceInfo} device
 * @property {import("synthattn").Support} support
 * @property {{ name: string, code: string, message: string, details?: any }} [error]
 */

/** @returns {string} the packed package; made once for what pkg/ holds */
export function tarball() {
  const hash = createHash("sha256");
  for (const file of filesBelow(at("pkg"))) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  const folder = join(outputFolder, "packaging");
  const file = join(folder, `synthattn-${hash.digest("hex").slice(0, 16)}.tgz`);
  if (existsSync(file)) return file;
  rmSync(folder, { recursive: true, force: true });
  const fresh = join(folder, "fresh");
  mkdirSync(fresh, { recursive: true });
  const done = spawnSync("npm", ["pack", at("pkg"), "--pack-destination", fresh, "--silent"], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  renameSync(join(fresh, readdirSync(fresh)[0]), file);
  return file;
}

/**
 * A copy of an app and of what apps share, outside of the checkout, with its packages and ours installed.
 *
 * @param {string} name of a folder in apps/
 * @param {{ keep?: string[] }} [options] which shared files it takes; otherwise all
 */
export async function install(name, { keep } = {}) {
  const folder = mkdtempSync(join(tmpdir(), `synthattn-${name}-`));
  const shared = join(apps, "shared");
  for (const file of keep ?? readdirSync(shared)) cpSync(join(shared, file), join(folder, file));
  cpSync(join(apps, name), folder, { recursive: true });
  const args = ["install", tarball(), "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  await command(folder, "npm", args).catch((why) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(apps, name, "package.json"), "utf8"));
    const wanted = Object.entries(dependencies).map(([name, version]) => `${name} ${version}`).join(", ");
    throw new Error(`npm could not install ${wanted || "the package"}: ${String(why.message).trim().split("\n").slice(-3).join(" ")}`);
  });
  return folder;
}

/** @param {string} folder */
export function remove(folder) {
  if (!process.env.KEEP_APPS) rmSync(folder, { recursive: true, force: true });
}

/**
 * Runs a program in an app's folder.
 *
 * @param {string} cwd
 * @param {string} program on the path, or out of the app's own packages
 * @param {string[]} args
 * @returns {Promise<string>} what it printed
 */
export function command(cwd, program, args) {
  const own = join(cwd, "node_modules", ".bin", program);
  return new Promise((resolve, reject) => {
    execFile(existsSync(own) ? own : program, args, { cwd, env: { ...process.env, ...QUIET }, timeout: 300_000, maxBuffer: 1 << 26 }, (why, stdout, stderr) => {
      if (why) reject(new Error(`${program} ${args.join(" ")}: ${stderr || stdout || why.message}`));
      else resolve(stdout);
    });
  });
}

/**
 * Starts a server of an app and waits until it answers.
 *
 * @param {TestContext} t
 * @param {string} cwd
 * @param {string} program
 * @param {(port: string) => string[]} args
 */
export async function server(t, cwd, program, args) {
  const port = await freePort();
  const child = spawn(join(cwd, "node_modules", ".bin", program), args(String(port)), { cwd, env: { ...process.env, ...QUIET }, detached: true });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (said += bytes));
  const ended = new Promise((resolve) => child.on("close", resolve));
  t.after(async () => {
    // With the processes that it started.
    if (child.pid && child.exitCode === null) process.kill(-child.pid);
    await ended;
  });
  const url = `http://127.0.0.1:${port}/`;
  await until(`${program} serves ${url}`, async () => {
    if (child.exitCode !== null) assert.fail(`${program} ended: ${said}`);
    return fetch(url).then(({ ok }) => ok, () => false);
  });
  return { url, said: () => said };
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** One browser for the tests of a file. @type {Promise<Browser> | undefined} */
let browser;

export async function closeBrowser() {
  await (await browser)?.close();
}

export function theBrowser() {
  browser ??= launchChromium();
  return browser;
}

/**
 * What an app tells in a browser. No error in the console, no failed request, and none to another origin.
 *
 * @param {string} url
 * @param {{ complaints?: RegExp }} [expected] a complaint to be expected
 * @returns {Promise<Outcome[]>}
 */
export async function visit(url, { complaints: expected } = {}) {
  const { page, context, complaints } = await openPage(await theBrowser(), url);
  try {
    const told = async () => (await page.locator("#outcome").textContent({ timeout: 1000 }).catch(() => "")) || complaints.find((line) => /^exception|crash/.test(line));
    await until(`an outcome at ${url} (${complaints})`, told);
    const text = await page.locator("#outcome").textContent();
    assert.deepEqual(complaints.filter((line) => !expected?.test(line)), []);
    return JSON.parse(text || "[]");
  } finally {
    await context.close();
  }
}

/**
 * The same with a built app, served under a path.
 *
 * @param {string} folder
 * @param {{ headers?: Record<string, string>, query?: string, complaints?: RegExp, extra?: Record<string, string> }} [options]
 *   `extra`: more files, from URL path below the app's to file
 */
export async function visitFolder(folder, { headers, query = "", complaints, extra = {} } = {}) {
  const mounts = Object.fromEntries(Object.entries(extra).map(([path, file]) => [`/some/where/${path}`, file]));
  const { origin, missing, close } = await serve({ "/some/where/": folder.endsWith("/") ? folder : `${folder}/`, ...mounts }, headers);
  try {
    const outcomes = await visit(`${origin}/some/where/${query}`, { complaints });
    if (!complaints) assert.deepEqual(missing, []);
    return outcomes;
  } finally {
    close();
  }
}

/**
 * That an engine was made, learned and wrote.
 *
 * @param {Outcome} outcome
 */
export function assertWorked({ error, losses, written, device }) {
  assert.equal(error, undefined);
  assert.equal(losses.length, 3);
  for (const loss of losses) assert.ok(Number.isFinite(loss) && loss > 0 && loss < 10, `a loss of ${loss}`);
  assert.ok(losses[2] < losses[0], `losses ${losses}`);
  assert.equal([...written].length, 12);
  assert.equal(device.kind, "cpu");
}

/**
 * Puts another entry of the package into an app's sources.
 *
 * @param {string} folder
 * @param {string} entry such as `synthattn/cpu`
 */
export function enter(folder, entry) {
  for (const name of readdirSync(folder)) {
    if (!/\.(js|jsx|mjs)$/.test(name)) continue;
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, "utf8").replace(/from "synthattn[\w/]*"/g, `from "${entry}"`));
  }
}

/**
 * Files that a bundler made, with their sizes in bytes.
 *
 * @param {string} folder
 */
export function made(folder) {
  return [...filesBelow(folder)].map((file) => ({ name: relative(folder, file), bytes: statSync(file).size }));
}

/** The files of WebAssembly among them. @param {string} folder */
export const wasmIn = (folder) => made(folder).filter(({ name }) => name.endsWith(".wasm"));
