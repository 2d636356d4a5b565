// Everything that the package exports says what it is: editors and docs/api.md show that.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const folder = fileURLToPath(new URL("../../pkg/", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
/** The entries with types, and their sources. @type {[string, string][]} */
const ENTRIES = Object.entries(exports).flatMap(([entry, { types }]) =>
  types ? [[entry, types.replace("/types/", "/").replace(/\.d\.ts$/, ".js")]] : [],
);

/** @type {string} */
let declared;
/** @type {ts.Program} */
let program;
/** @type {ts.TypeChecker} */
let checker;

/** @param {string} source */
const declarationsOf = (source) => join(declared, source.replace(/\.js$/, ".d.ts"));

before(() => {
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), (path) => readFileSync(path, "utf8"));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, folder);
  const sources = ENTRIES.map(([, source]) => source);
  // As apps see them: the declarations, not the sources.
  declared = mkdtempSync(join(tmpdir(), "synthattn-declared-"));
  ts.createProgram(ENTRIES.map(([, source]) => join(folder, source)), { ...options, outDir: declared }).emit();
  const names = ENTRIES.map(([, source]) => declarationsOf(source));
  program = ts.createProgram(names, { ...options, allowJs: false, checkJs: false, noEmit: true });
  checker = program.getTypeChecker();
});

after(() => rmSync(declared, { recursive: true }));

/** @param {ts.Symbol} symbol */
const said = (symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== "";

/** Whether it is the package's own, and for users. @param {ts.Symbol} symbol */
function isPublic(symbol) {
  const node = symbol.declarations?.[0];
  if (!node || !node.getSourceFile().fileName.startsWith(declared)) return false;
  if (symbol.name.startsWith("#") || symbol.name.startsWith("__")) return false;
  return !(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private);
}

/**
 * The names of what has no description: a declaration, its members, and theirs.
 *
 * @param {string} name
 * @param {ts.Symbol} symbol
 * @returns {string[]}
 */
function undescribed(name, symbol) {
  const own = said(symbol) ? [] : [name];
  const node = symbol.declarations?.[0];
  if (!node) return own;
  if (ts.isClassDeclaration(node)) {
    const instance = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
    const statics = checker.getTypeOfSymbol(symbol).getProperties();
    const members = [...instance, ...statics].filter((member) => isPublic(member) && member.name !== "prototype");
    return [...own, ...members.flatMap((member) => undescribed(`${name}.${member.name}`, member))];
  }
  if (ts.isFunctionLike(node)) {
    const parameters = node.parameters.map(({ type }) => type);
    return [...own, ...inside(name, parameters, wordsOf(symbol))];
  }
  if (ts.isTypeAliasDeclaration(node) || ts.isPropertySignature(node) || ts.isPropertyDeclaration(node))
    return [...own, ...inside(name, [node.type], wordsOf(symbol))];
  return own;
}

/** All that is said of a declaration and of its parameters. @param {ts.Symbol} symbol */
function wordsOf(symbol) {
  const tags = symbol.getJsDocTags(checker).flatMap(({ text }) => text ?? []);
  return ts.displayPartsToString([...symbol.getDocumentationComment(checker), ...tags]);
}

/**
 * Members of types that are written in place, however deep. Each is described where it stands, or named as `this` in
 * what is said of the whole.
 *
 * @param {string} name
 * @param {readonly (ts.Node | undefined)[]} types
 * @param {string} words
 * @returns {string[]}
 */
function inside(name, types, words) {
  /** @type {string[]} */
  const missing = [];
  /** @param {ts.Node} node @param {string} path @param {string} words */
  const visit = (node, path, words) => {
    const isMember = ts.isPropertySignature(node) || ts.isMethodSignature(node);
    const here = isMember ? `${path}.${node.name.getText()}` : path;
    const symbol = isMember ? checker.getSymbolAtLocation(node.name) : undefined;
    if (isMember) {
      const named = new RegExp(`\`${node.name.getText()}(\\(\\))?\``).test(words);
      if (!named && !(symbol && said(symbol))) missing.push(here);
    }
    const around = symbol ? `${words} ${wordsOf(symbol)}` : words;
    node.forEachChild((child) => visit(child, here, around));
  };
  for (const type of types) if (type) visit(type, name, words);
  return missing;
}

describe("every name that an entry exports is described, and so are its members", () => {
  for (const [entry, source] of ENTRIES) {
    test(entry, () => {
      const file = program.getSourceFile(declarationsOf(source));
      const module = file && checker.getSymbolAtLocation(file);
      const all = module ? checker.getExportsOfModule(module) : [];
      assert.ok(all.length >= 4, `only ${all.length} exports`);
      const missing = all.flatMap((symbol) =>
        undescribed(symbol.name, symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol),
      );
      assert.equal(missing.join("\n"), "");
    });
  }
});
