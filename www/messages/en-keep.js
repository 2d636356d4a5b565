// The texts about comparisons that are kept in the browser.

/** @type {Record<string, import("./index.js").Message>} */
export const keepMessages = {
  "ago.now": "a moment ago",

  "keep.offers": "Comparisons of earlier visits",
  "keep.unfinished": {
    one: "A comparison of {count} kind on {data} stopped at step {step} of {steps}, {ago}.",
    other: "A comparison of {count} kinds on {data} stopped at step {step} of {steps}, {ago}.",
  },
  "keep.begun": {
    one: "A comparison of {count} kind on {data} stopped in its first steps of {steps}, {ago}.",
    other: "A comparison of {count} kinds on {data} stopped in its first steps of {steps}, {ago}.",
  },
  "keep.finished": {
    one: "A finished comparison of {count} kind on {data}, {steps} steps, {ago}.",
    other: "A finished comparison of {count} kinds on {data}, {steps} steps, {ago}.",
  },
  "keep.own": "your own data",
  "keep.resume": "Resume",
  "keep.show": "Show it",
  "keep.discard": "Discard",
  "keep.older": { one: "{count} older one", other: "{count} older ones" },
  "keep.kept": "Kept in this browser up to step {step}, {time}: after a reload or a crash, this page offers to resume.",
  "keep.keptDone": "Kept in this browser: after a reload, this page offers to show it again.",

  "keep.trouble.storage-unavailable":
    "This comparison can’t be kept: the browser stores nothing for this page ({reason}), as in some private windows or with blocked site data. It lasts as long as this tab is open.",
  "keep.trouble.storage-full": "There is no room to keep this comparison{size}. Free some disk space.",
  "keep.trouble.size": " ({size})",
  "keep.trouble.other": "This comparison can’t be kept: {reason}.",
  "keep.trouble.before": "What was kept up to step {step} is still there.",
  "keep.trouble.do": "To be safe, download the models; they can be opened here again.",
  "keep.trouble.download": "Download {kind}",
  "keep.trouble.close": "Close",
};
