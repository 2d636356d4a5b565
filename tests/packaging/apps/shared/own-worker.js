// A worker of the app, which makes an engine of its own: a worker in a worker.

import { Engine, support } from "synthattn";
import { use } from "./use.js";

onmessage = async ({ data }) => postMessage(await use({ Engine, support }, data));
