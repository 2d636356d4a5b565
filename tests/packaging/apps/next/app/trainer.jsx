"use client";
// Imported while rendering on the server too, where nothing must happen yet.

import { useEffect, useState } from "react";
import { Engine, support } from "synthattn";
import { use } from "../use.js";

export function Trainer() {
  const [outcome, setOutcome] = useState("");
  useEffect(() => {
    const wasm = new URLSearchParams(location.search).get("wasm");
    use({ Engine, support }, wasm === null ? {} : { wasm }).then((told) => setOutcome(JSON.stringify([told])));
  }, []);
  return <pre id="outcome">{outcome}</pre>;
}
