// How fast an adapter multiplies matrices in WebGPU: what a training step, mostly such products, can be held to.

/** Rows and columns of the matrices. */
const SIZE = 1024;
/** Milliseconds that a measurement takes at least, so that a launch more or less does not count. */
const LONG_ENOUGH = 100;
const MEASUREMENTS = 3;
/** Milliseconds of a product after which it was not the launch that took them: an adapter in software, measured once. */
const SLOW = 1000;

/** Tiles of 64 × 64 by 256 threads, each with 4 × 4 sums in registers; 16 of the summed axis at a time. */
const SHADER = `
@group(0) @binding(0) var<storage, read> left: array<vec4f>;
@group(0) @binding(1) var<storage, read> right: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> product: array<vec4f>;
const N = ${SIZE}u;
const DEPTH = 16u;
var<workgroup> lefts: array<array<f32, 64>, DEPTH>;
var<workgroup> rights: array<array<vec4f, 16>, DEPTH>;

@compute @workgroup_size(16, 16)
fn multiply(@builtin(workgroup_id) tile: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let index = thread.y * 16u + thread.x;
  var sums = array<vec4f, 4>();
  for (var start = 0u; start < N; start += DEPTH) {
    let row = index / 4u;
    let deep = index % 4u;
    let four = left[((tile.y * 64u + row) * N + start) / 4u + deep];
    for (var i = 0u; i < 4u; i++) { lefts[deep * 4u + i][row] = four[i]; }
    rights[index / 16u][index % 16u] = right[((start + index / 16u) * N + tile.x * 64u) / 4u + index % 16u];
    workgroupBarrier();
    for (var step = 0u; step < DEPTH; step++) {
      let columns = rights[step][thread.x];
      for (var i = 0u; i < 4u; i++) { sums[i] = fma(vec4f(lefts[step][thread.y * 4u + i]), columns, sums[i]); }
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < 4u; i++) { product[((tile.y * 64u + thread.y * 4u + i) * N + tile.x * 64u) / 4u + thread.x] = sums[i]; }
}`;

/** Small whole numbers, of which every sum here is exact. @param {number} row @param {number} column */
const entry = (row, column) => ((row * 7 + column * 13) % 5) - 2;

/**
 * Floating-point operations a second in products of 1024 × 1024 matrices, the best of three measurements if they are short.
 *
 * @returns {Promise<number>}
 */
export async function rateOfProducts() {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("no WebGPU adapter");
  const device = await adapter.requestDevice();
  try {
    const matrix = Float32Array.from({ length: SIZE * SIZE }, (_, at) => entry(Math.floor(at / SIZE), at % SIZE));
    const { STORAGE, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
    const [left, right, product] = [0, 1, 2].map(() => device.createBuffer({ size: matrix.byteLength, usage: STORAGE | COPY_DST | COPY_SRC }));
    device.queue.writeBuffer(left, 0, matrix);
    device.queue.writeBuffer(right, 0, matrix);
    // The last row, which a read-back waits for.
    const bytes = 4 * SIZE;
    const read = device.createBuffer({ size: bytes, usage: COPY_DST | MAP_READ });
    const module = device.createShaderModule({ code: SHADER });
    const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "multiply" } });
    const entries = [left, right, product].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });

    /** Milliseconds for so many products, one after the other. */
    const time = async (/** @type {number} */ products) => {
      const encoder = device.createCommandEncoder();
      for (let made = 0; made < products; made++) {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(SIZE / 64, SIZE / 64);
        pass.end();
      }
      encoder.copyBufferToBuffer(product, 4 * SIZE * (SIZE - 1), read, 0, bytes);
      const commands = encoder.finish();
      const start = performance.now();
      device.queue.submit([commands]);
      await read.mapAsync(GPUMapMode.READ);
      const milliseconds = performance.now() - start;
      check(new Float32Array(read.getMappedRange()));
      read.unmap();
      return milliseconds;
    };

    let products = 1;
    // The first compiles, the others find out how many are long enough.
    await time(products);
    let least = await time(products);
    while (products < 1024 && least < LONG_ENOUGH) least = await time((products *= 2));
    for (let more = least < SLOW ? MEASUREMENTS - 1 : 0; more > 0; more--) least = Math.min(least, await time(products));
    return (2 * SIZE ** 3 * products * 1000) / least;
  } finally {
    device.destroy();
  }
}

/** A kernel that computes something else is fast for nothing. @param {Float32Array} row the last one */
function check(row) {
  for (const column of [0, 1, 63, 64, SIZE - 1]) {
    let sum = 0;
    for (let k = 0; k < SIZE; k++) sum += entry(SIZE - 1, k) * entry(k, column);
    if (row[column] !== sum) throw new Error(`the product of matrices has ${row[column]} where ${sum} is right`);
  }
}
