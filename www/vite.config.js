// Serves and builds the pages: the demo, and the findings below it. Relative addresses throughout, so that the result works under any sub-path.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  root: here,
  base: "./",
  // The package finds its worker and wasm by `new URL(…, import.meta.url)`, which pre-bundling would break.
  optimizeDeps: { exclude: ["synthattn"] },
  worker: { format: "es" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // The page's content security policy forbids data: addresses; nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: {
        page: fileURLToPath(new URL("index.html", import.meta.url)),
        findings: fileURLToPath(new URL("findings/index.html", import.meta.url)),
      },
    },
  },
  server: { fs: { allow: [fileURLToPath(new URL("..", import.meta.url))] } },
});
