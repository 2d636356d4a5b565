// Runs before everything else in the worker (and, where a test says so, in the page), and breaks what `FAULT` says: in
// tests alone, whose server puts it in front of the worker's script. It must do with what is global.

/**
 * @typedef {object} Fault
 * @property {boolean} [noAdapter] WebGPU is there, and finds nothing
 * @property {boolean} [noWebGpu] nor WebGPU
 * @property {string[]} [without] features that the adapter does not have
 * @property {Record<string, number>} [limits] of the adapter
 * @property {number} [destroyAt] the device is destroyed at this submit
 */

/** @param {Fault} fault */
export function prelude(fault) {
  const scope = /** @type {any} */ (globalThis);
  const gpu = scope.navigator.gpu;
  if (fault.noWebGpu) Object.defineProperty(scope.navigator, "gpu", { value: undefined });
  if (gpu && (fault.noAdapter || fault.without || fault.limits)) {
    const request = scope.GPU.prototype.requestAdapter;
    scope.GPU.prototype.requestAdapter = async function (/** @type {unknown[]} */ ...args) {
      if (fault.noAdapter) return null;
      const adapter = await request.apply(this, args);
      if (fault.without) {
        const features = new Set([...adapter.features].filter((name) => !fault.without?.includes(name)));
        Object.defineProperty(adapter, "features", { value: features });
      }
      if (fault.limits) {
        /** @type {Record<string, unknown>} */
        const limits = {};
        for (const name in adapter.limits) limits[name] = fault.limits[name] ?? adapter.limits[name];
        Object.defineProperty(adapter, "limits", { value: limits });
      }
      return adapter;
    };
  }

  /** @type {any[]} */
  const devices = [];
  if (scope.GPUAdapter) {
    const request = scope.GPUAdapter.prototype.requestDevice;
    scope.GPUAdapter.prototype.requestDevice = async function (/** @type {unknown[]} */ ...args) {
      const device = await request.apply(this, args);
      devices.push(device);
      return device;
    };
  }
  let loseNow = false;
  if (scope.GPUQueue) {
    const submit = scope.GPUQueue.prototype.submit;
    let submits = 0;
    scope.GPUQueue.prototype.submit = function (/** @type {unknown[]} */ ...args) {
      submits += 1;
      if (submits === fault.destroyAt || loseNow) for (const device of devices) device.destroy();
      loseNow = false;
      return submit.apply(this, args);
    };
  }

  /** @type {WebAssembly.Memory | undefined} */
  let memory;
  const instantiate = WebAssembly.instantiate;
  /** @type {any} */ (WebAssembly).instantiate = async (/** @type {any[]} */ ...args) => {
    const made = await /** @type {any} */ (instantiate)(...args);
    memory = (made.instance ?? made).exports.memory;
    return made;
  };

  const channel = new BroadcastChannel("faults");
  channel.onmessage = ({ data }) => {
    // In the middle of a step: at the next submit.
    if (data === "lose the graphics device") loseNow = true;
    // What has ended can send nothing.
    if (data === "end the worker") setTimeout(() => scope.close());
    // Everything but the stack, which comes first: what models, tables and the allocator know is nonsense from here on.
    // As when models have filled it: what is left is less than a page.
    if (data === "fill the memory" && memory) while (memory.buffer.byteLength < 2 ** 32) memory.grow(Math.min(4096, 2 ** 16 - memory.buffer.byteLength / 2 ** 16));
    if (data === "spoil the memory" && memory) new Uint8Array(memory.buffer).fill(0xa5, 1 << 20);
    channel.postMessage(`did ${data}`);
  };
}
