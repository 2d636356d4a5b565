// A model that writes files as the package does, as far as keeping looks at them.

export const SPEC = { task: "language-model", attention: { kind: "random" }, dModel: 32 };

export class FakeModel {
  step = 0;
  saves = 0;

  constructor(size = 1000, spec = SPEC) {
    this.size = size;
    this.spec = spec;
  }

  async save() {
    this.saves += 1;
    const about = { format: "synthattn", spec: JSON.stringify(this.spec), training: JSON.stringify({ step: this.step }) };
    const header = new TextEncoder().encode(JSON.stringify({ __metadata__: about }));
    const file = new Uint8Array(8 + header.length + this.size).fill(this.step % 256);
    new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
    file.set(header, 8);
    return file;
  }
}
