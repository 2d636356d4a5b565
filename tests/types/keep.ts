// Keeping work, as apps write it, with the types it says.

import { Engine } from "synthattn";
import type { ModelSpec, SynthError } from "synthattn";
import { KeepError, Keeping, forget, keep, kept, recall } from "synthattn/keep";
import type { KeepErrorCode, KeepOptions, Kept, Recalled } from "synthattn/keep";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** An error unless both are the same type. */
function same<A, B>(..._equal: Equal<A, B> extends true ? [] : [never]) {}

same<KeepErrorCode, "storage-unavailable" | "storage-full" | "in-use" | "already-kept">();
same<keyof KeepOptions, "name" | "every" | "replace" | "note" | "onKept" | "onProblem" | "database">();
same<keyof Kept, "name" | "savedAt" | "step" | "spec" | "size" | "models" | "note" | "inUse">();
same<keyof Recalled, keyof Kept | "file" | "files">();
same<Kept["spec"], Required<ModelSpec>>();
same<keyof Keeping, "name" | "kept" | "problem" | "now" | "stop">();

export async function goOn(text: string, list: HTMLElement): Promise<void> {
  const engine = await Engine.create();
  const work = await recall("my run");
  const model = work
    ? await engine.load(work.file, { text })
    : await engine.createModel({ task: "language-model", attention: "dense" }, { text });
  try {
    const keeping = await keep(model, {
      name: "my run",
      every: 20,
      note: () => ({ seconds: 3 }),
      onKept: ({ step, savedAt }) => list.append(`${step} ${savedAt.toLocaleTimeString()}`),
      onProblem: (problem: KeepError | SynthError) => list.append(problem.message),
    });
    const { size }: Kept = await keeping.now();
    list.append(String(size));
    await keeping.stop({ forget: true });
  } catch (error) {
    if (error instanceof KeepError && error.code === "storage-full") list.append(String(error.details?.["needed"]));
  }
  const several: Keeping = await keep(() => ({ one: model, two: model }), { name: "both", replace: true });
  const problem: KeepError | SynthError | undefined = several.problem;
  list.append(String(problem));
  for (const { name, inUse, models } of await kept({ database: "other" })) {
    if (!inUse) await forget(name, { database: "other" });
    for (const { key, step, spec } of models) list.append(key, String(step), String(spec.dModel));
  }
  // @ts-expect-error a name is needed
  await keep(model, {});
  // @ts-expect-error a model is needed
  await keep({ one: 1 }, { name: "wrong" });
}
