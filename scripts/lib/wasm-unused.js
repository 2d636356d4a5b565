// Empties functions that are in the wasm module for the CPU and never run there: what a library keeps for tensors that no
// model here has. A linker cannot know, since which tensors there are is decided as it runs. What only such functions call
// goes too.
// WebAssembly core specification, "Binary Format".

import { Reader, functionNames } from "./wasm-names.js";

const [IMPORT, GLOBAL, EXPORT, START, ELEMENT, CODE] = [2, 6, 7, 8, 9, 10];
/** No locals, `unreachable`, `end`: were one called after all, it would trap, and the worker be replaced. */
const EMPTY = Uint8Array.of(0, 0x00, 0x0b);

/**
 * Functions by a part of their names, and why none of them runs. Not by the mere name of a type in them: what drops one is
 * run for every tensor that could have it.
 *
 * @type {{ named: RegExp, because: string }[]}
 */
export const NEVER_RUN = [
  { named: /^<?burn_(std::tensor|backend)::quantization::|\bQTensorOps\b/, because: "no tensor is quantised" },
  { named: /::float_(mask_where::MaskWhere|abs::Abs|cast::Cast)\b.*>::step$/, because: "no model takes gradients through these" },
  { named: /\breparameterization_dyn::Dyn(Mapper|Visitor)\b/, because: "no weight is made of others" },
  { named: /\bBalancedCheckpointing\b|::RetroForward>::forward$/, because: "what gradients need is kept, not computed again" },
  { named: /::(dragon|grisu)::format_exact|\bfloat_to_decimal_common_exact\b/, because: "no number is printed with a given number of digits" },
  { named: /\bTensorData>::try_cast_(clone|inplace)/, because: "numbers come in the type that their tensor has" },
  { named: /^burn_flex::ops::.*::<(f64|half::.*|[iu]16|i8|u64)>$/, because: "tensors are of f32, of i32 or of booleans" },
];

/** A name without the numbers that tell crates of one name apart. @param {string} name */
const plain = (name) => name.replace(/(?<=\w)\[[0-9a-f]+\]/g, "");

/** @param {number} value */
function leb(value) {
  const bytes = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) + (rest > 0 ? 128 : 0));
    value = rest;
  } while (value > 0);
  return Uint8Array.from(bytes);
}

/** @param {Reader} reader @param {() => void} read */
function list(reader, read) {
  for (let left = reader.number(); left > 0; left--) read();
}

/** Passes over a memory argument: alignment, with a memory's number if its sixth bit is set, and offset. @param {Reader} code */
function memory(code) {
  if (code.number() & 64) code.number();
  code.number();
}

/** Passes over what follows `opcode`, and tells of functions that are called or referred to. @param {Reader} code @param {number} opcode @param {(index: number) => void} found */
function pass(code, opcode, found) {
  const numbers = (/** @type {number} */ count) => {
    for (let left = count; left > 0; left--) code.number();
  };
  if (opcode === 0x10 || opcode === 0x12 || opcode === 0xd2) found(code.number());
  else if (opcode === 0x0e) numbers(code.number() + 1);
  else if (opcode === 0x1c) numbers(code.number());
  else if (opcode === 0x11 || opcode === 0x13) numbers(2);
  else if (opcode >= 0x28 && opcode <= 0x3e) memory(code);
  else if (opcode === 0x43) code.bytes(4);
  else if (opcode === 0x44) code.bytes(8);
  else if ((opcode >= 0x02 && opcode <= 0x04) || opcode === 0x0c || opcode === 0x0d || (opcode >= 0x20 && opcode <= 0x26) || (opcode >= 0x3f && opcode <= 0x42) || opcode === 0xd0) numbers(1);
  else if (opcode === 0xfc) {
    const rest = code.number();
    if (rest > 17) throw new Error(`an unknown instruction, fc ${rest}`);
    if (rest > 7) numbers([8, 10, 12, 14].includes(rest) ? 2 : 1);
  } else if (opcode === 0xfd) {
    const rest = code.number();
    if (rest <= 11 || rest === 92 || rest === 93) memory(code);
    else if (rest === 12 || rest === 13) code.bytes(16);
    else if (rest >= 21 && rest <= 34) code.byte();
    else if (rest >= 84 && rest <= 91) {
      memory(code);
      code.byte();
    }
  } else if (!(opcode <= 0x01 || opcode === 0x05 || opcode === 0x0b || opcode === 0x0f || opcode === 0x1a || opcode === 0x1b || (opcode >= 0x45 && opcode <= 0xc4) || opcode === 0xd1)) {
    throw new Error(`an unknown instruction, ${opcode.toString(16)}`);
  }
}

/** Functions that a body calls or refers to. @param {Uint8Array} body */
function callsOf(body) {
  const code = new Reader(body);
  list(code, () => {
    code.number();
    code.byte();
  });
  /** @type {Set<number>} */
  const calls = new Set();
  while (!code.ended) pass(code, code.byte(), (index) => calls.add(index));
  return calls;
}

/** Passes over a constant and its `end`. @param {Reader} reader @param {(index: number) => void} found */
function constant(reader, found) {
  for (let opcode = reader.byte(); opcode !== 0x0b; opcode = reader.byte()) pass(reader, opcode, found);
}

/** Functions in the module's tables. @param {Reader} section @param {(index: number) => void} found */
function elements(section, found) {
  list(section, () => {
    const flags = section.number();
    if (flags > 3) throw new Error(`elements of an unknown form, ${flags}`);
    if (flags === 2) section.number();
    if (flags % 2 === 0) constant(section, found);
    if (flags > 0) section.byte();
    list(section, () => found(section.number()));
  });
}

/**
 * The module with functions emptied that never run, and those that nothing else calls.
 *
 * @param {Uint8Array} wasm with its names
 * @param {{ named: RegExp }[]} never
 * @returns {{ wasm: Uint8Array, emptied: string[], unmatched: RegExp[] }} `unmatched`: what no function is called
 */
export function withoutUnused(wasm, never) {
  const given = functionNames(wasm);
  if (!given) throw new Error("the module has no names");
  const names = new Map([...given].map(([index, name]) => [index, plain(name)]));
  const module = new Reader(wasm);
  const head = module.bytes(8);
  /** @type {{ id: number, content: Uint8Array }[]} */
  const sections = [];
  while (!module.ended) sections.push({ id: module.byte(), content: module.bytes(module.number()) });
  const section = (/** @type {number} */ id) => {
    const found = sections.find((one) => one.id === id);
    return found && new Reader(found.content);
  };

  let imported = 0;
  const imports = section(IMPORT);
  if (imports) list(imports, () => {
    imports.name();
    imports.name();
    const kind = imports.byte();
    imported += Number(kind === 0);
    if (kind === 1 || kind === 3) imports.byte();
    if (kind === 1 || kind === 2) {
      const bounded = imports.number() & 1;
      imports.number();
      if (bounded) imports.number();
    } else imports.number();
  });

  const code = section(CODE);
  /** @type {Uint8Array[]} */
  const bodies = [];
  if (code) list(code, () => bodies.push(code.bytes(code.number())));

  /** Functions that can be entered from outside or through a table. @type {number[]} */
  const entered = [];
  const exports = section(EXPORT);
  if (exports) list(exports, () => {
    exports.name();
    const kind = exports.byte();
    const index = exports.number();
    if (kind === 0) entered.push(index);
  });
  const start = section(START);
  if (start) entered.push(start.number());
  const globals = section(GLOBAL);
  if (globals) list(globals, () => {
    globals.bytes(2);
    constant(globals, (index) => entered.push(index));
  });
  const tables = section(ELEMENT);
  if (tables) elements(tables, (index) => entered.push(index));

  const isNever = (/** @type {number} */ index) => never.some(({ named }) => named.test(names.get(index) ?? ""));
  const used = (/** @type {(index: number) => boolean} */ ends) => {
    /** @type {Set<number>} */
    const seen = new Set();
    const open = [...entered];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      if (index >= imported && !ends(index)) open.push(...callsOf(bodies[index - imported]));
    }
    return seen;
  };
  const kept = used(isNever);
  /** @type {string[]} */
  const emptied = [];
  const parts = bodies.map((body, place) => {
    const index = place + imported;
    if (kept.has(index) && !isNever(index)) return body;
    emptied.push(names.get(index) ?? String(index));
    return EMPTY;
  });
  const content = Buffer.concat([leb(parts.length), ...parts.flatMap((body) => [leb(body.length), body])]);
  const written = sections.flatMap((one) => {
    const bytes = one.id === CODE ? content : one.content;
    return [Uint8Array.of(one.id), leb(bytes.length), bytes];
  });
  const all = [...names.values()];
  const unmatched = never.filter(({ named }) => !all.some((name) => named.test(name))).map(({ named }) => named);
  return { wasm: Buffer.concat([head, ...written]), emptied, unmatched };
}
