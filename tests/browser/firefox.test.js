// The package and the demo in Firefox, which has no WebGPU where there is no screen.

import { firefoxPaths } from "../../scripts/lib/tools.js";
import { testOnCpu } from "./elsewhere.js";
import { Driver } from "./webdriver.js";

testOnCpu(() => {
  const { firefox, geckodriver } = firefoxPaths();
  return Driver.start([geckodriver], { "moz:firefoxOptions": { binary: firefox, args: ["-headless"] } });
});
