// What the bundler puts in, and what a bench page offers to the runner.

declare const __JAX_VERSION__: string;

declare var bench: {
  begin(size: string, kind: import("./model.js").Kind): Promise<{
    name: string;
    version: string;
    backend: string;
    isolated: boolean;
    loss: number;
    milliseconds: number;
  }>;
  run(steps: number): Promise<{ loss: number; milliseconds: number }>;
};
