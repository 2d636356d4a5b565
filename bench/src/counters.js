// Counts what a library asks of WebGPU, from before it loads: small models are bound by that, on any GPU.

/** @typedef {{ dispatches: number, submits: number, buffers: number, writes: number, bytes: number }} Counts */

/** @type {Counts} */
const counts = { dispatches: 0, submits: 0, buffers: 0, writes: 0, bytes: 0 };

/** What was counted so far. @returns {Counts} */
export const countsNow = () => ({ ...counts });

/** What was counted since. @param {Counts} before @returns {Counts} */
export const since = ({ dispatches, submits, buffers, writes, bytes }) => ({
  dispatches: counts.dispatches - dispatches,
  submits: counts.submits - submits,
  buffers: counts.buffers - buffers,
  writes: counts.writes - writes,
  bytes: counts.bytes - bytes,
});

/** @param {string} type @param {string} method @param {(args: any[]) => void} count */
function watch(type, method, count) {
  const prototype = /** @type {any} */ (globalThis)[type]?.prototype;
  const original = prototype?.[method];
  if (!original) return;
  /** @param {any[]} args */
  prototype[method] = function (...args) {
    count(args);
    return original.apply(this, args);
  };
}

watch("GPUComputePassEncoder", "dispatchWorkgroups", () => counts.dispatches++);
watch("GPUComputePassEncoder", "dispatchWorkgroupsIndirect", () => counts.dispatches++);
watch("GPUQueue", "submit", () => counts.submits++);
watch("GPUDevice", "createBuffer", () => counts.buffers++);
watch("GPUQueue", "writeBuffer", ([, , data, offset = 0, size]) => {
  counts.writes++;
  // Of typed arrays offset and size are in elements.
  const unit = ArrayBuffer.isView(data) && "BYTES_PER_ELEMENT" in data ? Number(data.BYTES_PER_ELEMENT) : 1;
  counts.bytes += size === undefined ? data.byteLength - offset * unit : size * unit;
});
