// The shortest programs of the documentation, as an app would have them.

import { Engine } from "synthattn";

declare const text: string;
declare const rows: { text: string; label: string }[];
declare const progress: { value: number };
declare const output: { append(...pieces: string[]): void };

export async function languageModel() {
  const engine = await Engine.create();
  const model = await engine.createModel({ task: "language-model", attention: "random+vanilla" }, { text });
  for await (const { step, loss, tokensPerSecond } of model.train({ steps: 500 }))
    console.log(step, loss, tokensPerSecond);
  for await (const piece of model.generate("Once ")) output.append(piece);
}

export async function classification(engine: Engine) {
  const model = await engine.createModel(
    { task: "classification", attention: "dense", tokenizer: "word" },
    { rows },
  ); // [{ text, label }]
  for await (const report of model.train({ steps: 300, validation: 0.1 })) progress.value = report.step;
  const { label, probabilities } = await model.classify("delivery was two weeks late");
  return probabilities[label];
}
