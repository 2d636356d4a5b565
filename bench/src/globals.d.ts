// What the bundler puts in, and what a bench page offers to the runner.

declare const __JAX_VERSION__: string;

interface BenchRun {
  loss: number;
  milliseconds: number;
  counts: import("./counters.js").Counts;
  queued: import("./counters.js").Counts;
}

declare var bench: {
  begin(
    size: string,
    kind: import("./model.js").Kind,
    device: "cpu" | "webgpu",
  ): Promise<Pick<BenchRun, "loss" | "milliseconds"> & { name: string; version: string; backend: string; isolated: boolean }>;
  run(steps: number): Promise<BenchRun>;
  look(step: number): Promise<Pick<BenchRun, "loss" | "milliseconds">>;
  weights(): Promise<import("./harness.js").Weights>;
  adopt(trained: import("./harness.js").Weights): Promise<void>;
  generate(count: number): Promise<{ ids: number[]; milliseconds: number; dispatches: number }>;
  rateOfProducts(): Promise<number>;
};
