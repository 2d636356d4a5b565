/**
 * Can this browser run on WebGPU, and if not, why not.
 *
 * @module
 */

/** @import { Support } from "./contract.js" */

/** What the compute kernels need: the least that the WebGPU specification guarantees. */
const LIMITS = /** @type {const} */ ({
  maxStorageBuffersPerShaderStage: 8,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeWorkgroupsPerDimension: 65535,
  maxStorageBufferBindingSize: 128 << 20,
  maxBufferSize: 256 << 20,
});

/** Words in the names of adapters that are programs on the CPU. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render|\bwarp\b|software|\bcpu\b/i;

/**
 * Can this browser run on WebGPU, and if not, why not in one sentence a person can act on. Never throws.
 *
 * @returns {Promise<Support>}
 */
export function support() {
  return probe(globalThis);
}

/**
 * @param {any} scope the global object, or a part of one
 * @returns {Promise<Support>}
 */
export async function probe(scope) {
  try {
    const gpu = scope.navigator?.gpu;
    if (!gpu) return no(missing(scope));
    // The same preference as the engine's own request, so that both mean the same adapter.
    const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) {
      return no(
        "The browser has WebGPU but offers no graphics adapter: check that hardware acceleration is switched on " +
          "and the graphics driver is up to date.",
      );
    }
    const described = await describe(adapter);
    const lack = lacking(adapter);
    return lack === undefined ? { webgpu: true, adapter: described } : { ...no(lack), adapter: described };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return no(
      `The browser refused to give a graphics adapter (${why}): its graphics driver may be blocked or out of date.`,
    );
  }
}

/** @param {any} scope */
function missing({ process, isSecureContext }) {
  if (isSecureContext === false) {
    return "WebGPU works only on secure pages: open this one over https, or from localhost.";
  }
  if (process?.versions?.node !== undefined) return "There is no WebGPU outside a browser.";
  return "This browser has no WebGPU: a current Chrome, Edge, Firefox or Safari has it, in some behind a setting.";
}

/** @param {any} adapter */
function lacking(adapter) {
  if (!adapter.features?.has?.("timestamp-query")) {
    return (
      "The graphics adapter lacks the WebGPU feature timestamp-query, which is needed here: a newer browser " +
      "or graphics driver may have it."
    );
  }
  for (const [name, least] of Object.entries(LIMITS)) {
    const found = adapter.limits?.[name];
    if (typeof found === "number" && found < least) {
      return `The graphics adapter is too small: its limit ${name} is ${found}, and ${least} is needed.`;
    }
  }
  return undefined;
}

/** @param {any} adapter */
async function describe(adapter) {
  const info = adapter.info ?? (await adapter.requestAdapterInfo?.()) ?? {};
  const words = [info.vendor, info.architecture, info.device, info.description].filter(
    (word) => typeof word === "string",
  );
  const fallback = info.isFallbackAdapter ?? adapter.isFallbackAdapter;
  return {
    vendor: String(info.vendor ?? ""),
    architecture: String(info.architecture ?? ""),
    software: fallback === true || SOFTWARE.test(words.join(" ")),
  };
}

/**
 * @param {string} reason
 * @returns {Support}
 */
function no(reason) {
  return { webgpu: false, reason };
}
