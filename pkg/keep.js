/**
 * Keeps models in the browser's storage while they train, so that a reload, a crash or a lost device costs little.
 *
 * What is guaranteed: once `keep()` has resolved, there is a whole snapshot on disk at any time. It is replaced in
 * one transaction, so a page or browser that ends in the middle leaves the one before. A crash costs at most the time
 * between two snapshots (`every` seconds, or twenty times what a write takes if that is longer), one report and the
 * write under way. When the page is hidden (another tab, another app, a phone put away, often before a page ends) the
 * work is kept at once; a page that is closed leaves too little time for that to be relied on. Going on from a
 * snapshot gives, on the CPU, the very run that was never left.
 *
 * What is not: browsers may clear a site's storage when the disk is full (`navigator.storage.persist()` asks them
 * not to), Safari does so after seven days without a visit, a private window at its end. Download what you cannot
 * afford to lose.
 *
 * Importing this does nothing. Where there is no storage, as in Node, calls reject with `storage-unavailable`.
 *
 * @module
 */

export { forget, keep, kept, recall } from "./keep/calls.js";
export { Keeping } from "./keep/keeping.js";
export { KeepError } from "./keep/error.js";
export * from "./keep/contract.js";
