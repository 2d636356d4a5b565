// docs/api.md, made from the package's declarations: every name that an entry of the package exports, with its types and
// what the sources say of it.

import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";
import { at } from "./paths.js";
import { Stop } from "./run.js";

/** @typedef {{ name: string, node: ts.Declaration }} Named */

const folder = at("pkg");

const INTRODUCTION = `# API

Made from the sources by \`npm run docs\`; not edited by hand. [errors.md](errors.md) says what to do about each error
code, [hosting.md](hosting.md) which entry to take, [guide.md](guide.md) how all this is used.
`;

/** The whole document. */
export async function apiDocument() {
  const entries = entriesOfPackage();
  const declarations = new Declarations(entries.map(({ source }) => source));
  /** Where a declaration is described. @type {Map<ts.Declaration, string>} */
  const described = new Map();
  const parts = [INTRODUCTION];
  for (const { entry, source } of entries) {
    const exported = declarations.exportsOf(source);
    const fresh = exported.filter(({ node }) => !described.has(node));
    const known = exported.filter(({ node }) => described.has(node));
    parts.push(`## ${entry}\n`, `${moduleDoc(source)}\n`);
    if (known.length) parts.push(`Everything else is that of \`${entries[0].entry}\`.\n`);
    for (const { name, node } of inOrder(fresh)) {
      described.set(node, entry);
      // Of a class that another entry has under the same name, what differs.
      const again = [...described].some(([other]) => other !== node && nameOf(other) === name);
      parts.push(declarations.describe(name, node, again));
    }
  }
  parts.push(await kindTable(), await taskTable());
  return `${parts.join("\n").trimEnd()}\n`;
}

/** What `kinds()` gives, for a model of the default sizes. */
async function kindTable() {
  const { kinds } = await import("synthattn");
  const rows = (await kinds()).map(({ name, formula, source, conditionsOn, causal, options }) => [
    `\`${name}\``,
    `\`${formula}\``,
    source,
    conditionsOn.replace("-", " "),
    causal ? "yes" : "no",
    options.map((option) => `\`${option.name}\`: ${option.help}`).join(" "),
  ]);
  const head = ["kind", "computes", "source", "weights depend on", "causal", "options"];
  return `## Kinds\n\n${plainTable(head, rows)}`;
}

/** What `tasks()` gives. */
async function taskTable() {
  const { tasks } = await import("synthattn");
  const rows = (await tasks()).map(({ name, summary, input, output, metrics, builtins }) => [
    `\`${name}\``,
    summary,
    `${input} → ${output}`,
    metrics.map((metric) => `\`${metric}\``).join(", "),
    builtins.map((set) => `\`${set.name}\``).join(", "),
  ]);
  return `## Tasks\n\n${plainTable(["task", "", "in and out", "metrics", "built-in sets"], rows)}`;
}

/** What package.json exports with types, and the sources behind it. */
function entriesOfPackage() {
  const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([, target]) => typeof target === "object" && "types" in target)
    .map(([path, { types }]) => ({ entry: join(name, path), source: types.replace("/types/", "/").replace(/\.d\.ts$/, ".js") }));
}

/** The comment at the top of a file. @param {string} source */
function moduleDoc(source) {
  const comment = /^\/\*\*([^]*?)\*\//.exec(readFileSync(join(folder, source), "utf8"))?.[1] ?? "";
  const text = comment.replace(/^\s*\* ?/gm, "").replace(/^@module\s*/m, "");
  return text.trim();
}

/** Classes, then functions, then types; of classes those of the entry itself first. @param {Named[]} named */
function inOrder(named) {
  const rank = (/** @type {Named} */ { node }) => {
    if (ts.isFunctionDeclaration(node)) return 2;
    if (!ts.isClassDeclaration(node)) return 3;
    return node.heritageClauses && node.name?.text === "Engine" ? 0 : 1;
  };
  return named.map((one, index) => ({ ...one, index })).sort((a, b) => rank(a) - rank(b) || a.index - b.index);
}

/** @param {ts.Declaration} node */
const nameOf = (node) => ts.getNameOfDeclaration(node)?.getText();

class Declarations {
  /** @type {Map<string, ts.SourceFile>} */
  #files = new Map();

  /** @param {string[]} sources */
  constructor(sources) {
    const { config, error } = ts.readConfigFile(join(folder, "tsconfig.json"), (path) => readFileSync(path, "utf8"));
    if (error) throw new Stop(String(error.messageText));
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, folder);
    const program = ts.createProgram(sources.map((source) => join(folder, source)), options);
    const { emitSkipped } = program.emit(undefined, (path, text) => {
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      this.#files.set(normalize(path), file);
    });
    if (emitSkipped) throw new Stop("TypeScript made no declarations of the package.");
  }

  /** @param {string} source @param {string} [from] the declarations that name it */
  #file(source, from = join(folder, "types", "x")) {
    const path = join(dirname(from), source).replace(/\.js$/, ".d.ts");
    const file = this.#files.get(normalize(path));
    if (!file) throw new Stop(`There are no declarations of ${source}.`);
    return file;
  }

  /** @param {string} source */
  exportsOf(source) {
    return this.#exports(this.#file(source));
  }

  /** @param {ts.SourceFile} file @returns {Named[]} */
  #exports(file) {
    return file.statements.flatMap((statement) => {
      if (ts.isExportDeclaration(statement)) return this.#exportedBy(statement, file);
      if (!ts.canHaveModifiers(statement) || !ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
      const node = /** @type {ts.Declaration} */ (/** @type {unknown} */ (statement));
      const name = nameOf(node);
      return name ? [{ name, node }] : [];
    });
  }

  /** @param {ts.ExportDeclaration} statement @param {ts.SourceFile} file @returns {Named[]} */
  #exportedBy({ exportClause, moduleSpecifier }, file) {
    const target = moduleSpecifier && this.#file(/** @type {ts.StringLiteral} */ (moduleSpecifier).text, file.fileName);
    if (!exportClause) return target ? this.#exports(target) : [];
    if (!ts.isNamedExports(exportClause)) throw new Stop(`${file.fileName} exports a namespace.`);
    return exportClause.elements.map(({ name, propertyName }) => ({ name: name.text, node: target ? this.#find((propertyName ?? name).text, target) : this.#known((propertyName ?? name).text, file) }));
  }

  /** What a file exports under a name. @param {string} name @param {ts.SourceFile} file @returns {ts.Declaration} */
  #find(name, file) {
    return this.#exports(file).find((one) => one.name === name)?.node ?? this.#known(name, file);
  }

  /** What a file imports or has under a name. @param {string} name @param {ts.SourceFile} file @returns {ts.Declaration} */
  #known(name, file) {
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement)) continue;
      const bindings = statement.importClause?.namedBindings;
      const element = bindings && ts.isNamedImports(bindings) && bindings.elements.find((one) => one.name.text === name);
      if (!element) continue;
      const from = this.#file(/** @type {ts.StringLiteral} */ (statement.moduleSpecifier).text, file.fileName);
      return this.#find((element.propertyName ?? element.name).text, from);
    }
    const local = file.statements.find((one) => nameOf(/** @type {any} */ (one)) === name);
    if (local) return /** @type {any} */ (local);
    throw new Stop(`${file.fileName} has no ${name}.`);
  }

  /**
   * @param {string} name
   * @param {ts.Declaration} node
   * @param {boolean} again whether a class of this name was described already
   */
  describe(name, node, again) {
    if (ts.isClassDeclaration(node)) return this.#describeClass(name, node, again);
    if (ts.isFunctionDeclaration(node)) return describeCall(`### ${name}()`, `${name}${signature(node)}`, node);
    if (ts.isTypeAliasDeclaration(node)) return describeType(name, node);
    throw new Stop(`${name} is neither a class nor a function nor a type.`);
  }

  /** @param {string} name @param {ts.ClassDeclaration} node @param {boolean} again */
  #describeClass(name, node, again) {
    const own = membersOf(node);
    const base = node.heritageClauses?.[0]?.types[0]?.expression.getText();
    // An entry's engine is the common one with another way to start it. `Error` is everyone's.
    const inherited = base && base !== "Error" && !again ? membersOf(/** @type {ts.ClassDeclaration} */ (this.#known(base, node.getSourceFile()))) : [];
    const members = [...own, ...inherited.filter((member) => !own.some((one) => nameOf(one) === nameOf(member)))];
    const instance = name[0].toLowerCase() + name.slice(1);
    const fields = members.filter((member) => ts.isPropertyDeclaration(member) || ts.isGetAccessor(member));
    const methods = members.filter(ts.isMethodDeclaration);
    const about = doc(node) || (base && base !== "Error" && !again ? doc(this.#known(base, node.getSourceFile())) : "");
    const parts = [`### class ${name}\n`, about && `${about}\n`];
    if (fields.length) {
      const rows = fields.map((field) => [nameOf(field) ?? "", /** @type {any} */ (field).type?.getText() ?? "", doc(field)]);
      parts.push(table(["property", "type", ""], rows));
    }
    for (const method of methods) {
      const isStatic = method.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
      const called = `${isStatic ? name : instance}.${nameOf(method)}`;
      parts.push(describeCall(`#### ${called}()`, `${called}${signature(method)}`, method));
    }
    return parts.filter(Boolean).join("\n");
  }
}

/** What users may touch. @param {ts.ClassDeclaration} node */
function membersOf(node) {
  return node.members.filter((member) => {
    const name = nameOf(member);
    const hidden = ts.canHaveModifiers(member) && ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
    return name !== undefined && !name.startsWith("#") && !name.startsWith("[") && !hidden && !ts.isConstructorDeclaration(member);
  });
}

/** @param {ts.SignatureDeclaration} node */
function signature(node) {
  const parameters = node.parameters.map((parameter) => flat(parameter.getText()));
  return `(${parameters.join(", ")}): ${node.type?.getText() ?? "void"}`;
}

/** @param {string} heading @param {string} call @param {ts.SignatureDeclaration} node */
function describeCall(heading, call, node) {
  const parts = [`${heading}\n`, `\`\`\`ts\n${call.replace(/ \| undefined(?=[,)])/g, "")}\n\`\`\`\n`];
  if (doc(node)) parts.push(`${doc(node)}\n`);
  const told = ts.getJSDocTags(node).filter(ts.isJSDocParameterTag).map((tag) => ({ name: tag.name.getText(), text: comment(tag) }));
  const items = told.filter(({ text }) => text).map(({ name, text }) => `- \`${name}\`: ${text}`);
  const thrown = ts.getJSDocTags(node).filter(({ tagName }) => tagName.text === "throws").map((tag) => `- throws ${comment(tag)}`);
  if (items.length + thrown.length) parts.push(`${[...items, ...thrown].join("\n")}\n`);
  for (const tag of ts.getJSDocTags(node)) if (tag.tagName.text === "example") parts.push(`\`\`\`js\n${ts.getTextOfJSDocComment(tag.comment)}\n\`\`\`\n`);
  return parts.join("\n");
}

/** @param {string} name @param {ts.TypeAliasDeclaration} node */
function describeType(name, node) {
  const parts = [`### type ${name}\n`];
  if (doc(node)) parts.push(`${doc(node)}\n`);
  if (!ts.isTypeLiteralNode(node.type) || node.type.members.some((member) => !ts.isPropertySignature(member))) {
    parts.push(`\`\`\`ts\ntype ${name} =${broken(node.type)};\n\`\`\`\n`);
    return parts.join("\n");
  }
  const rows = node.type.members.map((member) => {
    const { type, questionToken } = /** @type {ts.PropertySignature} */ (member);
    const shown = flat(type?.getText() ?? "");
    return [`${nameOf(member)}${questionToken ? "?" : ""}`, questionToken ? shown.replace(/ \| undefined$/, "") : shown, doc(member)];
  });
  parts.push(table(["field", "type", ""], rows));
  return parts.join("\n");
}

/** A long union has a line for each of its types. @param {ts.TypeNode} type */
function broken(type) {
  const text = flat(type.getText());
  if (text.length < 100 || !ts.isUnionTypeNode(type)) return ` ${text}`;
  return type.types.map((one) => `\n  | ${flat(one.getText())}`).join("");
}

/** On one line. @param {string} text */
const flat = (text) => text.replace(/\/\*\*?[^]*?\*\//g, "").replace(/\s*\n\s*/g, " ").replace(/; \}/g, " }");

/** @param {string[]} head @param {string[][]} rows the first two cells are code */
const table = (head, rows) => plainTable(head, rows.map(([name, type, text]) => [`\`${name}\``, `\`${flat(type)}\``, text]));

/** @param {string[]} head @param {string[][]} rows */
function plainTable(head, rows) {
  const cell = (/** @type {string} */ text) => text.replace(/\s+/g, " ").replace(/\|/g, "\\|");
  const line = (/** @type {string[]} */ cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line), ""].join("\n");
}

/** What is said of a declaration. @param {ts.Node} node */
function doc(node) {
  const comments = /** @type {ts.JSDoc[] | undefined} */ (/** @type {any} */ (node).jsDoc) ?? [];
  return (ts.getTextOfJSDocComment(comments.at(-1)?.comment) ?? "").replace(/^ +(?!-)/gm, "").trim();
}

/** @param {ts.JSDocTag} tag */
const comment = (tag) => (ts.getTextOfJSDocComment(tag.comment) ?? "").replace(/\s+/g, " ").replace(/^- /, "").trim();
