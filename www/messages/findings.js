// The texts that the page of findings alone needs, added to those that both pages have: the demo does without their weight.
import { experimentMessages as englishExperiments } from "./en-experiments.js";
import { findingMessages as english } from "./en-findings.js";
import { language, learn } from "./index.js";

/** Languages beside English, loaded when they are spoken. @type {Record<string, () => Promise<Parameters<typeof learn>[0]>>} */
const OTHERS = {
  "zh-Hans": async () => ({ ...(await import("./zh-findings.js")).findingMessages, ...(await import("./zh-experiments.js")).experimentMessages }),
};

learn((await OTHERS[language]?.()) ?? { ...english, ...englishExperiments });
