/// <reference types="vite/client" />
// The stored results of the report, each a file of its own that is fetched when the page opens.

/** @import { Result } from "./contract.js" */

/** Where each file is, by its name; files that were not written are not there. @type {Record<string, string>} */
const ADDRESSES = import.meta.glob("../../docs/findings/results/*.json", { query: "?url", import: "default", eager: true });

/**
 * The report's result of an experiment; none where it was not run.
 *
 * @param {string} id
 * @returns {Promise<Result | undefined>}
 */
export async function reportOf(id) {
  const [, address] = Object.entries(ADDRESSES).find(([path]) => path.endsWith(`/${id}.json`)) ?? [];
  if (address === undefined) return undefined;
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}
