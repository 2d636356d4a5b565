// The package and the demo in WebKitGTK, Safari's engine as Debian has it.

import { webkitPaths } from "../../scripts/lib/tools.js";
import { testOnCpu } from "./elsewhere.js";
import { Driver } from "./webdriver.js";

testOnCpu(() => {
  const { xvfb, driver, browser } = webkitPaths();
  // It has no mode without a screen: it gets one that nobody sees. Nor has a server a locale, and it says so to pages.
  return Driver.start(["env", "LC_ALL=C", xvfb, "-a", driver], { "webkitgtk:browserOptions": { binary: browser, args: ["--automation"] } });
});
