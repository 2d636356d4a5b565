// One run: a model is trained for its steps or to its limit of time, and scored on rows that it never saw.

/** @typedef {import("./select.js").Run} Run */
/** @typedef {import("./data.js").Loaded} Loaded */
/** @typedef {import("synthattn").Metrics} Metrics */
/** @typedef {Pick<import("synthattn").Engine, "createModel">} Maker */
/** @typedef {{ step: number, seconds: number, metrics: Metrics }} Point */

/**
 * What came of a run, as far as it is a matter of the run alone.
 *
 * @typedef {object} Outcome
 * @property {Required<import("synthattn").ModelSpec>} spec with every default filled in
 * @property {Record<string, unknown>} [options] given to the kind
 * @property {import("synthattn").TrainOptions} train
 * @property {number} parameters
 * @property {number} step at which training ended
 * @property {number} seconds of training alone
 * @property {boolean} cut by the limit
 * @property {Metrics} metrics at the end
 * @property {Point[]} curve
 * @property {{ training: number, test: number }} sizes rows, or characters of a text
 * @property {number} [ceiling]
 */

/** Steps between reports, and so between looks at the clock. */
const EVERY = 10;

/**
 * @param {Maker} engine
 * @param {Run} run
 * @param {Loaded} data
 * @param {(report: import("synthattn").Report) => void} [watch]
 * @returns {Promise<Outcome>}
 */
export async function trainRun(engine, { kind, options, spec, train, limit, curve = 1 }, { task, training, test, ceiling }, watch = () => {}) {
  const model = await engine.createModel({ ...spec, task, attention: { kind, ...options } }, training);
  try {
    /** @type {Point[]} */
    const points = [];
    let seconds = 0;
    let cut = false;
    for await (const report of model.train({ every: EVERY, ...train })) {
      if (report.phase !== "training") continue;
      watch(report);
      const interval = report.seconds - seconds;
      seconds = report.seconds;
      // The next report would come too late.
      cut = report.step < report.steps && seconds + interval > limit;
      if (cut || report.step === report.steps) break;
      const progress = Math.max(report.step / report.steps, seconds / limit);
      if (progress >= (points.length + 1) / curve) points.push({ step: model.step, seconds, metrics: await model.evaluate(test) });
    }
    const metrics = await model.evaluate(test);
    points.push({ step: model.step, seconds, metrics });
    return {
      spec: model.spec,
      options,
      train,
      parameters: model.parameterCount,
      step: model.step,
      seconds,
      cut,
      metrics,
      curve: curve > 1 ? points : [],
      sizes: { training: size(training), test: size(test) },
      ceiling,
    };
  } finally {
    await model.dispose();
  }
}

/** @param {import("synthattn").PlainData} data */
const size = (data) => ("text" in data ? [...data.text].length : data.rows.length);
