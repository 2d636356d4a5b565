// The programs that building and testing need: each is found, or installed, or asked for in one line.

import { existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { at, toolsFolder } from "./paths.js";
import { Stop, environment, output, run, say } from "./run.js";

const WASM_PACK = "0.15.1";
const GECKODRIVER = "0.37.1";
const TARGET = "wasm32-unknown-unknown";
const isRoot = process.getuid?.() === 0;

export function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return;
  throw new Stop(`Node ${process.versions.node} is too old: install Node 20.19 or newer.`);
}

export async function checkRust() {
  const needed = /^rust-version = "(.+)"/m.exec(readFileSync(at("Cargo.toml"), "utf8"))?.[1] ?? "1.95";
  const found = output("rustc", ["--version"])?.split(" ")[1];
  if (!found) throw new Stop(`Rust is missing: install Rust ${needed} or newer with rustup (https://rustup.rs).`);
  if (isOlder(found, needed)) throw new Stop(`Rust ${found} is too old: run "rustup update" to get ${needed} or newer.`);
  // Rust links with it, and so do the tools that are built from source.
  if (!output("cc", ["--version"])) await installWithApt(["build-essential"]);
  if (!output("cc", ["--version"])) throw new Stop('A C compiler is missing: install one (Debian: "apt-get install build-essential").');
  const libraries = join(output("rustc", ["--print", "sysroot"]) ?? "", "lib", "rustlib", TARGET);
  if (!existsSync(libraries)) {
    if (!output("rustup", ["--version"])) throw new Stop(`Rust's target ${TARGET} is missing: install Rust with rustup.`);
    await run("rustup", ["target", "add", TARGET]);
  }
}

/** rustfmt and clippy, which a minimal rustup profile leaves out. */
export async function checkRustLints() {
  const missing = [["fmt", "rustfmt"], ["clippy", "clippy"]].filter(([command]) => !output("cargo", [command, "--version"]));
  if (missing.length) await run("rustup", ["component", "add", ...missing.map(([, component]) => component)]);
}

/** @param {string} found @param {string} needed */
function isOlder(found, needed) {
  const [a, b] = [found, needed].map((version) => version.split(/[.-]/).map(Number));
  for (let i = 0; i < b.length; i++) if ((a[i] ?? 0) !== b[i]) return (a[i] ?? 0) < b[i];
  return false;
}

/** wasm-bindgen's command line must be of the very version that the crate is compiled against. */
export async function checkWasmTools() {
  const lock = readFileSync(at("Cargo.lock"), "utf8");
  const version = /name = "wasm-bindgen"\nversion = "(.+)"/.exec(lock)?.[1];
  if (!version) throw new Stop("Cargo.lock does not name wasm-bindgen.");
  await checkCargoTool("wasm-bindgen", "wasm-bindgen-cli", version);
  await checkCargoTool("wasm-pack", "wasm-pack", WASM_PACK);
}

/** @param {string} program @param {string} crate @param {string} version */
async function checkCargoTool(program, crate, version) {
  if (output(program, ["--version"])?.split(" ")[1] === version) return;
  say(`${crate} ${version} is missing: building it into ${toolsFolder} (some minutes, once)`);
  const args = ["install", crate, "--version", version, "--root", toolsFolder];
  const env = { CARGO_TARGET_DIR: at("target", "tools") };
  try {
    await run("cargo", [...args, "--locked"], { env });
  } catch {
    say(`${crate}: its own lock file cannot be met (a yanked or unreachable crate); trying with current versions`);
    await run("cargo", args, { env });
  }
}

/** node_modules as package-lock.json has it. */
export async function checkNodeModules(folder = at()) {
  const lock = join(folder, "package-lock.json");
  const installed = join(folder, "node_modules", ".package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
}

/** @returns {{ chrome: string, chromedriver: string }} the browser under test; CHROME and CHROMEDRIVER override */
export function browserPaths() {
  return {
    chrome: process.env.CHROME ?? "/usr/bin/chromium",
    chromedriver: process.env.CHROMEDRIVER ?? "/usr/bin/chromedriver",
  };
}

export async function checkBrowser() {
  const missing = () => Object.entries(browserPaths()).filter(([, path]) => !existsSync(path));
  if (missing().length && !process.env.CHROME) await installWithApt(["chromium", "chromium-driver"]);
  const [first] = missing();
  if (!first) return;
  throw new Stop(
    `No ${first[0]} at ${first[1]}: install Chromium with its driver (Debian: "apt-get install chromium chromium-driver") ` +
      "or set CHROME and CHROMEDRIVER to those you have.",
  );
}

/** @returns {{ firefox: string, geckodriver: string }} Firefox and its driver; FIREFOX and GECKODRIVER override */
export function firefoxPaths() {
  return {
    firefox: process.env.FIREFOX ?? onPath("firefox-esr") ?? onPath("firefox") ?? "/usr/bin/firefox",
    geckodriver: process.env.GECKODRIVER ?? onPath("geckodriver") ?? join(toolsFolder, "bin", "geckodriver"),
  };
}

/** @param {string} program */
function onPath(program) {
  return environment.PATH.split(delimiter).map((folder) => join(folder, program)).find(existsSync);
}

export async function checkFirefox() {
  if (!existsSync(firefoxPaths().firefox) && !process.env.FIREFOX) await installWithApt(["firefox-esr"]);
  if (!existsSync(firefoxPaths().geckodriver) && !process.env.GECKODRIVER) await checkCargoTool("geckodriver", "geckodriver", GECKODRIVER);
  const [first] = Object.entries(firefoxPaths()).filter(([, path]) => !existsSync(path));
  if (!first) return;
  throw new Stop(
    `No ${first[0]} at ${first[1]}: install Firefox (Debian: "apt-get install firefox-esr") and geckodriver ` +
      '("cargo install geckodriver --locked"), or set FIREFOX and GECKODRIVER to those you have.',
  );
}

/** @returns {{ xvfb: string, driver: string, browser: string }} WebKitGTK where Debian puts it, and a screen for it */
export function webkitPaths() {
  const libraries = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  return {
    xvfb: "/usr/bin/xvfb-run",
    driver: "/usr/bin/WebKitWebDriver",
    browser: `/usr/lib/${libraries}/webkit2gtk-4.1/MiniBrowser`,
  };
}

export async function checkWebKit() {
  const missing = () => Object.entries(webkitPaths()).filter(([, path]) => !existsSync(path));
  if (missing().length) await installWithApt(["webkit2gtk-driver", "xvfb", "xauth"]);
  const [first] = missing();
  if (first) throw new Stop(`No ${first[1]}: install WebKitGTK (Debian: "apt-get install webkit2gtk-driver xvfb xauth").`);
}

/** @param {string[]} packages @returns {Promise<boolean>} whether Debian's packages could be installed */
export async function installWithApt(packages) {
  if (!isRoot || !output("apt-get", ["--version"])) return false;
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  try {
    await run("apt-get", ["update", "-qq"], { env });
    await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { env });
    return true;
  } catch (why) {
    say(`apt-get could not install ${packages.join(" ")}: ${/** @type {Error} */ (why).message}`);
    return false;
  }
}
