// Deno: the outcome as a line of JSON.

import { Engine, support } from "synthattn";
import { use } from "./use.js";

console.log(JSON.stringify(await use({ Engine, support })));
