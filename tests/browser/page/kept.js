// Another tab of the demo's origin: the step up to which its only comparison is kept.

import { kept } from "synthattn/keep";

const works = await kept({ database: "synthattn-comparisons" });
document.body.dataset.step = String(works.length === 1 ? Math.min(...works[0].models.map(({ step }) => step)) : -1);
