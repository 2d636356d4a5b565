// How much JavaScript keeps alive in this thread, once all that can be collected has been.

import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
/** @type {() => void} */
const collect = runInNewContext("gc");

/** Bytes of objects. Compiled code is left out: it comes and goes as the compiler sees fit, by hundreds of kilobytes. */
export async function heapInUse() {
  // What one collection frees may hold the last reference to something else, if only until a finalizer ran.
  for (let round = 0; round < 4; round += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith("code_"));
  return spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}
