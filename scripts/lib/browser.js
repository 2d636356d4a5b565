// Chromium as tests and benchmarks want it: headless, quiet, and with WebGPU in software.

import { chromium } from "playwright-core";
import { browserPaths } from "./tools.js";

export const QUIET = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const SOFTWARE_WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"];

/**
 * @param {{ webgpu?: boolean, args?: string[] }} [options]
 * @returns {Promise<import("playwright-core").Browser>}
 */
export function launchChromium({ webgpu = false, args = [] } = {}) {
  return chromium.launch({
    executablePath: browserPaths().chrome,
    args: [...QUIET, ...(webgpu ? SOFTWARE_WEBGPU : []), ...args],
  });
}
