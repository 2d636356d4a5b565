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
const WEBGPU = ["--enable-unsafe-webgpu", "--enable-features=Vulkan"];
const SOFTWARE_WEBGPU = [...WEBGPU, "--use-webgpu-adapter=swiftshader"];
const HARDWARE_WEBGPU = [...WEBGPU, "--ignore-gpu-blocklist", "--use-angle=vulkan"];

/**
 * @param {{ webgpu?: boolean | "software" | "hardware", args?: string[] }} [options] in software unless said otherwise
 * @returns {Promise<import("playwright-core").Browser>}
 */
export function launchChromium({ webgpu = false, args = [] } = {}) {
  return chromium.launch({
    executablePath: browserPaths().chrome,
    args: [...QUIET, ...(webgpu === "hardware" ? HARDWARE_WEBGPU : webgpu ? SOFTWARE_WEBGPU : []), ...args],
  });
}
