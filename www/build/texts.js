// Writes the built-in texts and their index into public/data, where the page fetches them from.
// They come from an npm package, so that the repository holds no copy of the book.
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mobyDickBook } from "../../scripts/lib/data/moby-dick.js";

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
      const { text, entry } = mobyDickBook();
      const bytes = Buffer.from(text, "utf8");
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      await writeFile(join(folder, entry.file), bytes);
      const index = [{ ...entry, bytes: bytes.length, characters: [...text].length, sha256 }];
      await writeFile(join(folder, "texts.json"), JSON.stringify(index, null, 2) + "\n");
    },
  };
}
