// A small client of the WebDriver protocol (https://www.w3.org/TR/webdriver2/), for browsers that Playwright cannot
// drive as they are installed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

/** Milliseconds for a driver to answer, and for a browser to start. */
const START = 60_000;

export class Driver {
  #process;
  #origin;
  #session = "";

  /** @param {import("node:child_process").ChildProcess} process @param {string} origin */
  constructor(process, origin) {
    this.#process = process;
    this.#origin = origin;
  }

  /**
   * Starts a driver, and a browser with it.
   *
   * @param {string[]} command the driver; its port is added
   * @param {Record<string, unknown>} capabilities
   */
  static async start([program, ...args], capabilities) {
    const port = await freePort();
    // A group of its own, so that no browser outlives a driver that is ended.
    const child = spawn(program, [...args, `--port=${port}`], { stdio: ["ignore", "ignore", "pipe"], detached: true });
    let said = "";
    child.stderr.on("data", (bytes) => (said = (said + bytes).slice(-2000)));
    const failed = once(child, "error").then(([why]) => Promise.reject(new Error(`${program} did not start: ${why.message}`)));
    const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${program} ended with ${code}: ${said}`)));
    const driver = new Driver(child, `http://127.0.0.1:${port}`);
    try {
      await Promise.race([driver.#begin(capabilities), failed, ended]);
    } catch (why) {
      await driver.close();
      throw why;
    } finally {
      // Whether it ends later, as it should, is nobody's concern.
      failed.catch(() => {});
      ended.catch(() => {});
    }
    return driver;
  }

  /** @param {Record<string, unknown>} capabilities */
  async #begin(capabilities) {
    const end = Date.now() + START;
    while (!(await this.#call("GET", "/status").catch(() => undefined))?.ready) {
      if (Date.now() > end) throw new Error(`no driver at ${this.#origin} after ${START / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { sessionId } = await this.#call("POST", "/session", { capabilities: { alwaysMatch: capabilities } });
    this.#session = `/session/${sessionId}`;
  }

  /** @param {string} method @param {string} path @param {unknown} [body] */
  async #call(method, path, body) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(this.#origin + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const { value } = /** @type {{ value: any }} */ (await answer.json());
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }

  /** @param {string} url */
  async open(url) {
    await this.#call("POST", `${this.#session}/url`, { url });
  }

  /** The tab that is in front. @returns {Promise<string>} */
  tab() {
    return this.#call("GET", `${this.#session}/window`);
  }

  /** Opens a tab and brings it to the front. */
  async openTab() {
    const { handle } = await this.#call("POST", `${this.#session}/window/new`, { type: "tab" });
    await this.show(handle);
  }

  /** Brings a tab to the front. @param {string} handle */
  async show(handle) {
    await this.#call("POST", `${this.#session}/window`, { handle });
  }

  /**
   * What a function returns in the page. It sees nothing but its arguments.
   *
   * @template {unknown[]} A, T
   * @param {(...args: A) => T} body
   * @param {A} args
   * @returns {Promise<Awaited<T>>}
   */
  run(body, ...args) {
    return this.#call("POST", `${this.#session}/execute/sync`, { script: `return (${body}).apply(null, arguments)`, args });
  }

  /** Ends the browser and the driver. */
  async close() {
    if (this.#session) await this.#call("DELETE", this.#session).catch(() => {});
    this.#session = "";
    if (this.#process.pid === undefined || this.#process.exitCode !== null) return;
    const ended = once(this.#process, "exit");
    process.kill(-this.#process.pid, "SIGTERM");
    await ended;
  }
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}
