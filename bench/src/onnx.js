// Writes ONNX files: the few messages of the format that a graph of this bench needs.

import protobuf from "protobufjs";

// Names and numbers of the fields as in https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3.
const { root } = protobuf.parse(`
  syntax = "proto3";
  message ModelProto { int64 ir_version = 1; GraphProto graph = 7; repeated OperatorSetIdProto opset_import = 8; }
  message OperatorSetIdProto { string domain = 1; int64 version = 2; }
  message GraphProto {
    repeated NodeProto node = 1; string name = 2; repeated TensorProto initializer = 5;
    repeated ValueInfoProto input = 11; repeated ValueInfoProto output = 12;
  }
  message NodeProto { repeated string input = 1; repeated string output = 2; string op_type = 4; repeated AttributeProto attribute = 5; }
  message AttributeProto { string name = 1; float f = 2; int64 i = 3; bytes s = 4; repeated int64 ints = 8; int32 type = 20; }
  message TensorProto { repeated int64 dims = 1; int32 data_type = 2; string name = 8; bytes raw_data = 9; }
  message ValueInfoProto { string name = 1; TypeProto type = 2; }
  message TypeProto { message Tensor { int32 elem_type = 1; TensorShapeProto shape = 2; } Tensor tensor_type = 1; }
  message TensorShapeProto { message Dimension { oneof value { int64 dim_value = 1; string dim_param = 2; } } repeated Dimension dim = 1; }
`);
const ModelProto = root.lookupType("ModelProto");

/** The version of the format, and that of its operators: the first with attention that has a past. */
const FORMAT = 11;
const OPERATORS = 23;

/** Numbers of the types of elements. */
const ELEMENTS = { float32: 1, int32: 6, int64: 7 };
const TYPES = { float: 1, int: 2, string: 3, ints: 7 };

/** @typedef {number | string | number[] | { float: number }} Setting whole numbers unless they are said to be floats */

/** A graph as it is put together, operation by operation; values are known by name. */
export class Graph {
  /** @type {object[]} */
  #nodes = [];
  /** @type {Map<string, object>} */
  #constants = new Map();
  /** @type {object[]} */
  #inputs = [];
  /** @type {object[]} */
  #outputs = [];
  #unnamed = 0;

  /** @param {string} name @param {number[]} shape @param {Float32Array | BigInt64Array} data */
  constant(name, shape, data) {
    const dataType = data instanceof Float32Array ? ELEMENTS.float32 : ELEMENTS.int64;
    this.#constants.set(name, { name, dims: shape, dataType, rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) });
    return name;
  }

  /** A list of whole numbers, such as a shape. @param {number[]} numbers */
  list(...numbers) {
    return this.constant(`[${numbers}]`, [numbers.length], BigInt64Array.from(numbers, BigInt));
  }

  /** @param {string} name @param {keyof typeof ELEMENTS} type @param {(number | string)[]} shape sizes, those that vary by name */
  input(name, type, shape) {
    this.#inputs.push(described(name, type, shape));
    return name;
  }

  /** @param {string} name of a value that an operation gives @param {keyof typeof ELEMENTS} type @param {(number | string)[]} shape */
  output(name, type, shape) {
    this.#outputs.push(described(name, type, shape));
    return name;
  }

  /**
   * An operation with one output.
   *
   * @param {string} type
   * @param {string[]} inputs an empty one is left out
   * @param {Record<string, Setting>} [settings]
   * @param {string} [name] of the output
   */
  one(type, inputs, settings = {}, name = this.#name()) {
    this.several(type, inputs, settings, [name]);
    return name;
  }

  /** An operation with several. @param {string} type @param {string[]} inputs @param {Record<string, Setting>} settings @param {string[]} outputs */
  several(type, inputs, settings, outputs) {
    const attribute = Object.entries(settings).map(([name, value]) => ({ name, ...attributeOf(value) }));
    this.#nodes.push({ opType: type, input: inputs, output: outputs, attribute });
    return outputs;
  }

  /** Names for outputs that need none. @param {number} count */
  names(count) {
    return Array.from({ length: count }, () => this.#name());
  }

  /** The file. @returns {Uint8Array} */
  bytes() {
    const graph = { name: "bench", node: this.#nodes, initializer: [...this.#constants.values()], input: this.#inputs, output: this.#outputs };
    const model = { irVersion: FORMAT, opsetImport: [{ domain: "", version: OPERATORS }], graph };
    return ModelProto.encode(ModelProto.fromObject(model)).finish();
  }

  #name() {
    this.#unnamed += 1;
    return `value ${this.#unnamed}`;
  }
}

/** @param {string} name @param {keyof typeof ELEMENTS} type @param {(number | string)[]} shape */
function described(name, type, shape) {
  const dim = shape.map((size) => (typeof size === "string" ? { dimParam: size } : { dimValue: size }));
  return { name, type: { tensorType: { elemType: ELEMENTS[type], shape: { dim } } } };
}

/** @param {Setting} value */
function attributeOf(value) {
  if (Array.isArray(value)) return { ints: value, type: TYPES.ints };
  if (typeof value === "string") return { s: new TextEncoder().encode(value), type: TYPES.string };
  return typeof value === "number" ? { i: value, type: TYPES.int } : { f: value.float, type: TYPES.float };
}
