import { Engine, support } from "synthattn";
import { show } from "./show.js";

show({ Engine, support }, new Worker(new URL("./own-worker.js", import.meta.url), { type: "module" }));
