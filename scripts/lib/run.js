// Running other programs, and stopping with one line when something is wrong.

import { spawn, spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { root, toolsFolder } from "./paths.js";

/** A reason to stop that a person can act on: printed without a stack. */
export class Stop extends Error {}

const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");

/** Tools of this checkout first, then whatever Cargo installed, then the rest. */
export const environment = {
  ...process.env,
  PATH: [join(toolsFolder, "bin"), join(cargoHome, "bin"), process.env.PATH].join(delimiter),
};

/**
 * Runs a program to its end with its output on ours.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, watch?: (text: string) => void }} [options]
 *   `watch` sees all output as it passes.
 * @returns {Promise<void>} rejects with `Stop` when the program fails
 */
export function run(program, args, { cwd = root, env = {}, watch } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...environment, ...env },
      stdio: ["ignore", watch ? "pipe" : "inherit", watch ? "pipe" : "inherit"],
    });
    child.stdout?.on("data", (bytes) => (process.stdout.write(bytes), watch?.(String(bytes))));
    child.stderr?.on("data", (bytes) => (process.stderr.write(bytes), watch?.(String(bytes))));
    // A supervisor that ends this script must not leave a server or a compiler behind.
    const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
    process.on("SIGTERM", pass);
    child.on("error", (why) => reject(new Stop(`${program} did not start: ${why.message}`)));
    child.on("close", (code, signal) => {
      process.off("SIGTERM", pass);
      if (code === 0) resolve();
      else reject(new Stop(`${[program, ...args].join(" ")} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

/**
 * The output of a program, or undefined if it is missing or fails.
 *
 * @param {string} program
 * @param {string[]} args
 */
export function output(program, args) {
  const done = spawnSync(program, args, { cwd: root, env: environment, encoding: "utf8" });
  return done.status === 0 ? done.stdout.trim() : undefined;
}

/** Runs one of Node's own tools out of node_modules. @param {string} file @param {string[]} args */
export const runNode = (file, args) => run(process.execPath, [join(root, "node_modules", file), ...args]);

/** @param {string} text */
export const say = (text) => process.stdout.write(`${text}\n`);

/** @param {string} title */
export const section = (title) => say(`\n== ${title} ${"=".repeat(Math.max(0, 76 - title.length))}\n`);

/** @param {number} milliseconds */
export function duration(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/**
 * The entry of a script: a `Stop` becomes one line and exit code 1, anything else keeps its stack.
 *
 * @param {() => Promise<void>} body
 */
export async function main(body) {
  try {
    await body();
  } catch (why) {
    process.stderr.write(why instanceof Stop ? `\n${why.message}\n` : `\n${/** @type {Error} */ (why).stack}\n`);
    process.exitCode = 1;
  }
}
