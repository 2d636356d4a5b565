// `npm start`: builds what is missing and serves the demo, reloading it as its sources change.

import { main, runNode, section } from "./lib/run.js";
import { buildPackage } from "./build.js";
import { setup } from "./setup.js";

await main(async () => {
  await setup();
  await buildPackage();
  section("demo page");
  const hasScreen = process.platform !== "linux" || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  // Everything after "npm start --" goes to Vite: --port, --host and so on.
  await runNode("vite/bin/vite.js", ["www", ...(hasScreen ? ["--open"] : []), ...process.argv.slice(2)]);
});
