// `await using` works, with nothing to set in the app's `lib`: the declarations bring what they need.

import { Engine } from "synthattn";

export async function scoped() {
  await using engine = await Engine.create({ device: "cpu" });
  await using model = await engine.createModel(
    { task: "language-model", attention: "dense" },
    { text: "abab" },
  );
  return model.step;
}
