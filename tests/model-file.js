// Model files taken apart and put together again, without the package: a safetensors file is a header in JSON and bytes.

/**
 * @typedef {{ dtype: string, shape: number[], bytes: Uint8Array }} Tensor
 * @typedef {{ metadata: Record<string, string>, tensors: Record<string, Tensor> }} ModelFile
 */

/** @param {Uint8Array} file @returns {ModelFile} */
export function open(file) {
  const size = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const { __metadata__: metadata, ...entries } = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + size)));
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [begin, end] }] of Object.entries(entries)) {
    tensors[name] = { dtype, shape, bytes: file.slice(8 + size + begin, 8 + size + end) };
  }
  return { metadata, tensors };
}

/** @param {ModelFile} contents @returns {Uint8Array<ArrayBuffer>} */
export function close({ metadata, tensors }) {
  /** @type {Record<string, unknown>} */
  const header = { __metadata__: metadata };
  let length = 0;
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [length, (length += bytes.length)] };
  }
  const plain = new TextEncoder().encode(JSON.stringify(header));
  // The tensors begin at a multiple of eight.
  const size = Math.ceil(plain.length / 8) * 8;
  const file = new Uint8Array(8 + size + length).fill(0x20, 8, 8 + size);
  new DataView(file.buffer).setBigUint64(0, BigInt(size), true);
  file.set(plain, 8);
  let at = 8 + size;
  for (const { bytes } of Object.values(tensors)) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}

/** @param {number[]} shape @param {(index: number) => number} value @returns {Tensor} */
export function tensor(shape, value) {
  const length = shape.reduce((product, size) => product * size, 1);
  const bytes = new Uint8Array(4 * length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < length; i++) view.setFloat32(4 * i, value(i), true);
  return { dtype: "F32", shape, bytes };
}

/** @param {Tensor} tensor */
export function values({ bytes }) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}
