/**
 * More workers for an engine on the CPU: they share each batch with the first, to which they have a channel of their
 * own, so that nothing of it goes over the page's thread.
 *
 * @module
 */

import { Link } from "./link.js";

/** @import { Port } from "../protocol.js" */

/**
 * Starts them; they live and end with the first.
 *
 * @param {Link} first
 * @param {number} count how many beside the first
 * @param {() => Promise<Port>} spawn
 * @param {WebAssembly.Module} module
 */
export async function hire(first, count, spawn, module) {
  const hired = Array.from({ length: count }, async () => {
    const link = new Link(await spawn());
    first.join(link);
    await link.call("start", { kind: "cpu", wasm: { module }, selfCheck: false });
    const { port1, port2 } = new MessageChannel();
    await link.call("assist", { port: port1 }, { transfer: [port1] });
    return port2;
  });
  const ports = await Promise.all(hired);
  await first.call("enlist", { ports }, { transfer: ports });
}
