// Every name of the contract, with the types it says: a change of one is an error here.

import { Engine, Model, SynthError, builtinData, kinds, support, tasks } from "synthattn";
import type {
  AttentionMaps,
  BuiltinData,
  BuiltinInfo,
  Classification,
  CompareReport,
  CompareSummary,
  ErrorCode,
  GenerateSummary,
  KindInfo,
  KindName,
  Metrics,
  ModelSpec,
  OptionInfo,
  PlainData,
  Report,
  SpeedReport,
  TaskInfo,
  TaskName,
  TrainOptions,
  TrainingData,
} from "synthattn";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** An error unless both are the same type. */
function same<A, B>(..._equal: Equal<A, B> extends true ? [] : [never]) {}
/** A value of a type, never run. */
declare function some<T>(): T;

same<
  KindName,
  | "vanilla"
  | "random"
  | "fixed-random"
  | "factorized-random"
  | "dense"
  | "factorized-dense"
  | "random+vanilla"
  | "dense+vanilla"
  | "random+dense"
  | "random+dense+vanilla"
  | "factorized-random+vanilla"
  | "factorized-dense+vanilla"
  | "factorized-random+factorized-dense"
  | "lightweight-convolution"
  | "dynamic-convolution"
  | "linformer"
  | "mlp-mixer"
  | "fnet"
  | "aft"
>();
same<
  TaskName,
  | "language-model"
  | "masked-language-model"
  | "classification"
  | "pair-classification"
  | "sequence-to-sequence"
>();
same<
  ErrorCode,
  | "invalid-option"
  | "invalid-data"
  | "text-too-long"
  | "unknown-kind"
  | "wrong-task"
  | "webgpu-unavailable"
  | "device-lost"
  | "out-of-memory"
  | "diverged"
  | "corrupt-file"
  | "unsupported-version"
  | "disposed"
  | "busy"
  | "aborted"
  | "attention-unavailable"
  | "internal"
>();
same<KindInfo["family"], "dot-product" | "synthesizer" | "mixture" | "baseline">();
same<KindInfo["conditionsOn"], "nothing" | "token" | "token-pair">();
same<KindInfo["options"], OptionInfo[]>();
same<OptionInfo["type"], "integer" | "number" | "choice">();
same<TaskInfo["metrics"], (keyof Metrics)[]>();
same<
  keyof Metrics,
  | "loss"
  | "perplexity"
  | "bitsPerCharacter"
  | "accuracy"
  | "f1"
  | "exactMatch"
  | "bleu"
  | "rougeL"
  | "baseline"
  | "confusion"
>();
same<TaskInfo["builtins"], BuiltinInfo[]>();
same<
  keyof BuiltinInfo,
  "name" | "label" | "rows" | "bytes" | "licence" | "source" | "testRows" | "ceiling"
>();
same<Report["phase"], "compiling" | "training" | "validating">();
same<
  keyof Report,
  | "step"
  | "steps"
  | "loss"
  | "learningRate"
  | "gradientNorm"
  | "tokensPerSecond"
  | "stepsPerSecond"
  | "seconds"
  | "phase"
  | "validation"
>();
same<
  keyof TrainOptions,
  | "steps"
  | "batch"
  | "learningRate"
  | "warmup"
  | "schedule"
  | "optimizer"
  | "weightDecay"
  | "clipNorm"
  | "validation"
  | "every"
  | "signal"
  | "span"
>();
same<
  keyof ModelSpec,
  | "task"
  | "attention"
  | "dModel"
  | "heads"
  | "layers"
  | "dFf"
  | "maxLength"
  | "dropout"
  | "positions"
  | "tokenizer"
  | "tieEmbeddings"
  | "seed"
>();
same<SpeedReport["what"], "train" | "forward" | "generate">();
same<AttentionMaps["weights"], Float32Array>();

export async function everything(canvas: { file: Blob }) {
  const found = await support();
  const able: boolean = found.webgpu;
  const reason: string | undefined = found.reason;
  const adapter: { vendor: string; architecture: string; software: boolean } | undefined = found.adapter;
  const kindTable: KindInfo[] = await kinds();
  const taskTable: TaskInfo[] = await tasks();

  const engine: Engine = await Engine.create({
    device: "auto",
    wasm: new URL("https://example.org/x.wasm"),
    workers: 1,
    seed: 7,
  });
  for (const wasm of [
    "x.wasm",
    new Response(),
    new ArrayBuffer(8),
    new Uint8Array(8),
    some<WebAssembly.Module>(),
  ]) {
    await Engine.create({ wasm });
  }
  const { kind, description, software, fallbackReason } = engine.device;
  same<typeof kind, "webgpu" | "cpu">();
  same<typeof fallbackReason, string | undefined>();
  // Also where an app tells what is missing from what is undefined.
  const device: { kind: "webgpu" | "cpu"; description: string; software: boolean; fallbackReason?: string } = engine.device;
  const foundHere: { webgpu: boolean; reason?: string; adapter?: { vendor: string; architecture: string; software: boolean } } = found;
  const scores: { loss: number; perplexity?: number; bitsPerCharacter?: number; accuracy?: number; f1?: number; exactMatch?: number; bleu?: number; rougeL?: number } = some<Metrics>();
  console.log(device, foundHere, scores);
  // Options that are undefined count as not given.
  await Engine.create({ seed: undefined });

  const specs: ModelSpec[] = [
    { task: "language-model", attention: { kind: "factorized-random", rank: 8, mixing: "head" }, seed: 3 },
    {
      task: "language-model",
      attention: "dense",
      tokenizer: { kind: "bpe", vocabulary: 300 },
      positions: "none",
      tieEmbeddings: true,
    },
  ];
  const all: TrainingData[] = [
    { text: "ab" },
    {
      rows: [
        { text: "a", label: "x" },
        { text: "b", label: 3 },
      ],
    },
    { rows: [{ text: "a", second: "b", label: 1 }] },
    { rows: [{ source: "a", target: "b" }] },
    { builtin: "reverse" },
  ];
  const sets: BuiltinData = await builtinData("recall");
  const plain: PlainData = sets.training;
  all.push(plain, sets.test);
  if ("rows" in plain) console.log(plain.rows.length);
  else console.log(plain.text.length);
  const data = all[0]!;
  const model: Model = await engine.createModel(specs[0]!, data);
  const spec: Required<ModelSpec> = model.spec;
  const numbers: number[] = [model.parameterCount, model.attentionParameterCount, model.step];
  const words: string[] = model.vocabulary;
  const labels: string[] | undefined = model.labels;

  const options: TrainOptions = {
    steps: 10,
    batch: 4,
    learningRate: 1e-3,
    warmup: 2,
    schedule: "cosine",
    optimizer: "sgd",
    weightDecay: 0,
    clipNorm: 1,
    validation: 0.1,
    every: 5,
    signal: new AbortController().signal,
    span: { start: 0, end: 100 },
  };
  const training: AsyncGenerator<Report, void> = model.train(options);
  for await (const report of training) {
    const metrics: Metrics | undefined = report.validation;
    console.log(metrics?.bitsPerCharacter, report.gradientNorm.toFixed(2));
  }
  const metrics: Metrics = await model.evaluate(data, { batch: 8, signal: options.signal! });
  const copied: number | undefined = metrics.baseline?.exactMatch;
  const confusion: number[][] | undefined = metrics.confusion;
  const writing: AsyncGenerator<string, GenerateSummary> = model.generate("a", {
    maxTokens: 5,
    temperature: 0,
    topK: 3,
    topP: 0.9,
    seed: 1,
    stop: ["\n"],
    signal: options.signal!,
  });
  const last = await writing.next();
  if (last.done) same<typeof last.value.reason, "length" | "stop" | "end">();

  const one: Classification = await model.classify(["a", "b"]);
  const many: Classification[] = await model.classifyAll(["a", ["b", "c"]], { batch: 2 });
  const filled: { position: number; candidates: { token: string; probability: number }[] }[] =
    await model.fill("[MASK]", { top: 3 });
  const translated: string = await model.translate("a", { maxTokens: 5, beams: 2 });
  const maps: AttentionMaps = await model.attention(["a", "b"], { part: "cross" });
  const histogram: { edges: Float32Array; counts: Uint32Array[] } = await model.weightHistogram("a", 20);
  const bytes: Uint8Array = await model.save();
  // A file goes into a Blob, and comes from one, with no cast.
  const loaded: Model[] = [
    await engine.load(new Blob([await model.save()])),
    await engine.load(bytes, data),
    await engine.load(new ArrayBuffer(3)),
    await engine.load(canvas.file, { text: "a" }),
  ];

  const race: AsyncGenerator<CompareReport, CompareSummary> = engine.compare(specs, data, {
    ...options,
    models: loaded,
  });
  for await (const { index, kind, step, model } of race) console.log(index, kind, step, model.step);
  const speeds: AsyncGenerator<SpeedReport> = engine.benchmark({
    kinds: ["vanilla", "dense"],
    lengths: [32, 64],
    batch: 4,
    dModel: 32,
    heads: 2,
    layers: 1,
    repeats: 3,
    signal: options.signal!,
  });
  for await (const { kind, length, what, median, low, high, unit, relativeToVanilla, device } of speeds) {
    console.log(kind, length, what, median, low, high, unit, relativeToVanilla?.toFixed(1), device);
  }
  const memory: { wasmBytes: number; gpuBytes: number; models: number } = await engine.memory();
  const lost: SynthError = await engine.lost;

  try {
    await model.dispose();
    await engine.dispose();
  } catch (error) {
    if (!(error instanceof SynthError)) throw error;
    const code: ErrorCode = error.code;
    const name: "SynthError" = error.name;
    const details: Record<string, unknown> | undefined = error.details;
    console.log(code, name, details?.option, error.message, error instanceof Error);
  }
  return [
    able,
    reason,
    adapter,
    kindTable,
    taskTable,
    description,
    software,
    spec,
    numbers,
    words,
    labels,
    metrics,
    copied,
    confusion,
    one,
    many,
    filled,
    translated,
    maps,
    histogram,
    memory,
    lost,
  ];
}

/** What must not be accepted. Never run. */
export async function refused(engine: Engine, model: Model) {
  // @ts-expect-error an unknown option
  await Engine.create({ devise: "cpu" });
  // @ts-expect-error no device of this name
  await Engine.create({ device: "gpu" });
  // @ts-expect-error a spec needs its task
  await engine.createModel({ attention: "dense" }, { text: "" });
  // @ts-expect-error no kind of this name
  await engine.createModel({ task: "language-model", attention: "random+random" }, { text: "" });
  // @ts-expect-error data of no known shape
  await engine.createModel({ task: "language-model", attention: "dense" }, { texts: "" });
  // @ts-expect-error steps are needed
  model.train({});
  // @ts-expect-error read-only
  model.step = 3;
  // @ts-expect-error read-only
  engine.device = { kind: "cpu", description: "", software: false };
  // @ts-expect-error engines are created, not constructed
  new Engine();
  // @ts-expect-error models are created, not constructed
  new Model();
}
