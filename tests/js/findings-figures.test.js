// The figures of the findings: what is drawn stands where the numbers say, nothing is left out, and every file is sound XML.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { COLOURS, HEAT, HEATS, asSvg, fileOf, heatOf, linesOf, markup, ticksIn, widthOf } from "../../www/findings/drawing.js";
import { curvesFigure, rowsFigure, spreadsFigure, tablesFigure, tradeFigure } from "../../www/findings/figures.js";

const WIDTHS = [328, 720];
const LOOKS = ["token-pair", "nothing", "token", "mixture"].map((sight, index) => ({ colour: `kind-${index}`, dash: index ? [6, 3] : [], sight }));
const axis = (label) => ({ label, format: (value) => value.toFixed(2) });

/** Numbers that are not round, so that a mark in a wrong place is seen. */
const seedsOf = (mean) => [-0.031, -0.007, 0.012, 0.026].map((off, index) => ({ value: mean + off, title: `seed ${index + 1}` }));
const ROWS = [2.113, 2.247, 2.614, 2.081].map((mean, index) => ({
  label: `arm ${index}`,
  look: LOOKS[index],
  seeds: seedsOf(mean),
  estimate: { mean, low: mean - 0.043, high: mean + 0.051 },
  said: `about ${mean}`,
}));
const CURVES = ROWS.map(({ label, look, estimate }) => ({
  label,
  look,
  points: [100, 200, 400].map((x) => ({ x, mean: estimate.mean + 100 / x, low: estimate.low + 100 / x, high: estimate.high + 100 / x })),
}));
const PLACES = ROWS.map(({ label, look, estimate }, index) => ({ label, look, x: { mean: 20 + index * 7, low: 19 + index * 7, high: 22 + index * 7 }, y: estimate }));
const SPREADS = ROWS.slice(0, 2).map(({ label, look }) => ({ label, look, layers: ["first", "second"].map((name) => ({ label: name, start: [900, 99, 0, 0], end: [500, 300, 99, 9] })) }));
const WORDS = { start: "before", end: "after", x: "weight", y: "how many", format: String };
const LENGTH = 6;
const TABLES = ["one", "two", "three"].map((label, head) => ({
  label,
  length: LENGTH,
  weights: Float32Array.from({ length: LENGTH * LENGTH }, (_, cell) => (cell % LENGTH > cell / LENGTH ? 0 : (cell + head) / 40)),
}));

const FIGURES = {
  rows: (width) => rowsFigure({ rows: ROWS, lines: [{ value: 3.1, label: "chance" }], axis: axis("bits") }, width),
  differences: (width) => rowsFigure({ rows: ROWS.map((row) => ({ ...row, band: [2.2, Infinity] })), lines: [{ value: 2, label: "no difference" }], axis: axis("bits") }, width),
  curves: (width) => curvesFigure({ curves: CURVES, lines: [{ value: 4, label: "chance" }], x: axis("steps"), y: axis("bits") }, width),
  trade: (width) => tradeFigure({ places: PLACES, x: axis("speed"), y: axis("bits") }, width),
  spreads: (width) => spreadsFigure({ arms: SPREADS, words: WORDS }, width),
  tables: (width) => tablesFigure({ tables: TABLES, largest: 1 }, width),
};

/** All marks of a tree with the shift and the scale that the groups around them add up to. */
function* marksOf(tree, shift = [0, 0], factor = 1) {
  if (typeof tree === "string") return;
  const [, x, y] = /translate\(([\d.]+) ([\d.]+)\)/.exec(tree.attributes.transform ?? "") ?? [0, 0, 0];
  const [, grown] = / scale\(([\d.]+)\)/.exec(tree.attributes.transform ?? "") ?? [0, 1];
  const here = [shift[0] + factor * Number(x), shift[1] + factor * Number(y)];
  yield { ...tree, shift: here, factor: factor * Number(grown) };
  for (const child of tree.children) yield* marksOf(child, here, factor * Number(grown));
}

const all = (picture) => picture.parts.flatMap((part) => [...marksOf(part)]);
const textsOf = (picture) => all(picture).filter(({ tag }) => tag === "text").map(({ children }) => children[0]);

/** What is wrong with a document as XML, of the few forms that drawings have; the whole of it must be read. */
function faultOf(document) {
  const body = document.replace(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/, "").trimEnd();
  const token = /<(\/?)([a-zA-Z]+)((?: [a-zA-Z][a-zA-Z0-9:-]*="(?:[^<&"]|&(?:amp|lt|gt|quot);)*")*)(\/?)>|(?:[^<&>]|&(?:amp|lt|gt|quot);)+/y;
  const open = [];
  while (token.lastIndex < body.length) {
    const at = token.lastIndex;
    const found = token.exec(body);
    if (!found) return `at ${at}: ${body.slice(at, at + 40)}`;
    const [, closing, name, attributes, empty] = found;
    if (!name) continue;
    const names = [...attributes.matchAll(/ ([a-zA-Z][a-zA-Z0-9:-]*)="/g)].map(([, one]) => one);
    if (new Set(names).size !== names.length) return `${name} says something twice`;
    if (closing && open.pop() !== name) return `${name} is closed and was not open`;
    if (!closing && !empty) open.push(name);
    if (open.length === 0 && token.lastIndex < body.length) return "more than one root";
  }
  return open.length > 0 ? `${open} is open at the end` : undefined;
}

test("unsound XML is recognised", () => {
  assert.equal(faultOf('<a b="1"><c/>x &amp; y</a>'), undefined);
  for (const document of ["<a>", "<a></b>", "<a/><b/>", "<a b=1/>", "<a>&</a>", '<a b="<"/>', '<a b="1" b="2"/>', "<a>x > y</a>"]) assert.ok(faultOf(document), document);
});

for (const [name, draw] of Object.entries(FIGURES)) {
  test(`${name}: sound XML at every width, alone and on the page, in both themes or one`, () => {
    for (const width of WIDTHS) {
      const picture = draw(width);
      assert.equal(picture.width, width);
      assert.equal(faultOf(markup(asSvg(picture, "what it shows"))), undefined);
      const words = { title: "A & <title>", caption: "A “caption” of \u0007 several words that goes over a line or two when there is little room for it" };
      for (const theme of [undefined, "light", "dark"]) assert.equal(faultOf(fileOf(picture, words, theme)), undefined);
    }
  });

  test(`${name}: nothing lies outside, and every number is one`, () => {
    for (const width of WIDTHS) {
      const picture = draw(width);
      assert.doesNotMatch(markup(asSvg(picture, "")), /NaN|Infinity|undefined/);
      for (const { tag, attributes: its, shift, factor } of all(picture)) {
        const xs = [its.x, its.x1, its.x2, its.cx, tag === "rect" ? its.x + its.width : undefined].filter((x) => x !== undefined).map((x) => x * factor + shift[0]);
        const ys = [its.y, its.y1, its.y2, its.cy, tag === "rect" ? its.y + its.height : undefined].filter((y) => y !== undefined).map((y) => y * factor + shift[1]);
        for (const x of xs) assert.ok(x >= -0.01 && x <= width + 0.01, `${tag} at x ${x} of ${width}`);
        for (const y of ys) assert.ok(y >= -0.01 && y <= picture.height + 0.01, `${tag} at y ${y} of ${picture.height}`);
      }
    }
  });

  test(`${name}: every colour is a class that both themes have, and nothing is styled in place`, () => {
    const light = fileOf(draw(720), { title: "", caption: "" }, "light");
    const classes = new Set(all(draw(720)).flatMap((one) => one.attributes.class ?? []));
    assert.ok(classes.size > 1);
    for (const theme of ["light", "dark"]) {
      const [, style] = /<style>(.*?)<\/style>/.exec(fileOf(draw(720), { title: "", caption: "" }, theme));
      for (const one of classes) assert.ok(style.includes(`.${one}{color:#`), `${one} has no colour in ${theme}`);
    }
    assert.doesNotMatch(light, / style=/);
    for (const { attributes } of all(draw(720)))
      for (const paint of ["fill", "stroke"]) assert.ok([undefined, "none", "currentColor"].includes(attributes[paint]), `${paint} ${attributes[paint]}`);
  });
}

test("texts that are given go in as text", () => {
  const label = '</text><script>alert("1")</script>&\u0000\ud800';
  const drawn = fileOf(rowsFigure({ rows: [{ ...ROWS[0], label }], axis: axis(label) }, 720), { title: label, caption: label });
  assert.equal(faultOf(drawn), undefined);
  assert.doesNotMatch(drawn, /<script|\0|\p{Surrogate}/u);
  assert.ok(drawn.includes("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;"));
});

/** Pixels a unit, and where a value is, from two ticks of the axis below. */
function axisOf(picture, format) {
  const ticks = all(picture).filter(({ tag, attributes }) => tag === "text" && attributes["text-anchor"] === "middle").map(({ attributes, children }) => ({ x: attributes.x, said: children[0] })).filter(({ said }) => format(Number(said)) === said);
  const [first, last] = [ticks[0], ticks.at(-1)];
  const unit = (last.x - first.x) / (Number(last.said) - Number(first.said));
  return (value) => first.x + (value - Number(first.said)) * unit;
}

test("rows: every seed has its mark, and intervals end where the numbers say", () => {
  for (const width of WIDTHS) {
    const picture = FIGURES.rows(width);
    const at = axisOf(picture, axis("").format);
    const circles = all(picture).filter(({ tag, children }) => tag === "circle" && children[0]?.tag === "title");
    const drawn = circles.map(({ attributes, children }) => ({ x: attributes.cx, title: children[0].children[0] }));
    const expected = ROWS.flatMap(({ seeds }) => seeds);
    assert.deepEqual(drawn.map(({ title }) => title), expected.map(({ title }) => title));
    drawn.forEach(({ x }, index) => assert.ok(Math.abs(x - at(expected[index].value)) < 0.1, `seed ${index} at ${x}`));
    const bars = all(picture).filter(({ tag, attributes }) => tag === "line" && attributes["stroke-width"] === 2.5);
    assert.equal(bars.length, ROWS.length);
    bars.forEach(({ attributes }, index) => {
      assert.ok(Math.abs(attributes.x1 - at(ROWS[index].estimate.low)) < 0.1);
      assert.ok(Math.abs(attributes.x2 - at(ROWS[index].estimate.high)) < 0.1);
    });
    for (const text of ["chance", "bits", ...ROWS.flatMap(({ label, said }) => [label, said])]) assert.ok(textsOf(picture).includes(text), text);
  }
});

test("rows: a band without an end goes to the edge, and widens no axis", () => {
  const picture = FIGURES.differences(720);
  const at = axisOf(picture, axis("").format);
  const bands = all(picture).filter(({ tag, attributes }) => tag === "rect" && attributes.class === "c-rule");
  assert.equal(bands.length, ROWS.length);
  for (const { attributes } of bands) {
    assert.ok(Math.abs(attributes.x - at(2.2)) < 0.1);
    assert.ok(attributes.x + attributes.width > at(2.665), "the band ends before the numbers do");
  }
});

test("rows: an arm of one seed has a mark and no interval", () => {
  const picture = rowsFigure({ rows: [{ ...ROWS[0], seeds: ROWS[0].seeds.slice(0, 1), estimate: undefined }], axis: axis("bits") }, 720);
  assert.equal(all(picture).filter(({ tag, children }) => tag === "circle" && children.length > 0).length, 1);
  assert.equal(all(picture).filter(({ attributes }) => attributes["stroke-width"] === 2.5).length, 0);
});

test("rows: where two long texts would meet they go one below the other", () => {
  const long = ROWS.map((row) => ({ ...row, label: "a name that is rather long", said: "2.11 (from 2.07 to 2.16)" }));
  const picture = rowsFigure({ rows: long, axis: axis("bits") }, 328);
  const [name, said] = [long[0].label, long[0].said].map((text) => all(picture).find(({ children }) => children[0] === text).attributes.y);
  assert.ok(said >= name + 14);
});

test("rows: a long name goes over lines, none of which is cut", () => {
  const label = "Random, 8 heads against Random, 1 head, beyond Vanilla, 8 heads against Vanilla, 1 head";
  const [first, second] = ["first", "second"].map((said) => ({ ...ROWS[0], label, said }));
  const picture = rowsFigure({ rows: [first, second], axis: axis("bits") }, 328);
  const texts = all(picture).filter(({ tag, attributes }) => tag === "text" && attributes.x === 32);
  assert.equal(texts.map(({ children }) => children[0]).join(" "), `${label} first ${label} second`);
  for (const { attributes, children } of texts) assert.ok(attributes.x + widthOf(children[0]) <= 328, children[0]);
  const ys = texts.map(({ attributes }) => attributes.y);
  ys.forEach((y, index) => assert.ok(index === 0 || y >= ys[index - 1] + 14));
});

test("curves: a shape at every score, a band from end to end of the interval, and every name", () => {
  for (const width of WIDTHS) {
    const picture = FIGURES.curves(width);
    const paths = all(picture).filter(({ tag, attributes }) => tag === "path" && attributes.opacity === 0.14);
    assert.equal(paths.length, CURVES.length);
    const steps = axisOf(picture, axis("").format);
    // 3 points above and as many below.
    for (const { attributes } of paths) {
      const points = [...attributes.d.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
      assert.equal(points.length, 6);
      for (const [index, x] of [100, 200, 400].entries()) {
        assert.ok(Math.abs(points[index][0] - steps(x)) < 0.1);
        assert.ok(points[index][1] < points[5 - index][1], "the band is upside down");
      }
    }
    for (const { label } of CURVES) assert.ok(textsOf(picture).includes(label), label);
  }
});

test("quality against speed: both intervals of every arm, and no name on another", () => {
  const picture = FIGURES.trade(720);
  const at = axisOf(picture, axis("").format);
  const bars = all(picture).filter(({ tag, attributes }) => tag === "line" && attributes.opacity === 0.7);
  assert.equal(bars.length, 2 * PLACES.length);
  PLACES.forEach(({ x }, index) => {
    const [across, up] = [bars[2 * index].attributes, bars[2 * index + 1].attributes];
    assert.ok(Math.abs(across.x1 - at(x.low)) < 0.1 && Math.abs(across.x2 - at(x.high)) < 0.1);
    assert.ok(Math.abs(up.x1 - at(x.mean)) < 0.1 && up.y1 > up.y2);
  });
  for (const { label } of PLACES) assert.ok(textsOf(picture).includes(label), label);
});

test("spreads: heights go by logarithms, a panel a layer of each arm", () => {
  const picture = FIGURES.spreads(720);
  const filled = all(picture).filter(({ tag, attributes }) => tag === "path" && attributes.opacity === 0.35);
  assert.equal(filled.length, 4);
  const ys = [...filled[0].attributes.d.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
  const floor = ys[0];
  // 500, 300, 99 and 9 against 900, the most of all.
  const heights = [ys[1], ys[3], ys[5], ys[7]].map((y) => (floor - y) / 82);
  [500, 300, 99, 9].forEach((count, index) => assert.ok(Math.abs(heights[index] - Math.log10(1 + count) / Math.log10(901)) < 0.01));
  for (const text of ["before", "after", "weight", "how many", "first", "second", "arm 0", "arm 1"]) assert.ok(textsOf(picture).includes(text), text);
});

test("tables: every cell has the colour of its weight", () => {
  const picture = FIGURES.tables(720);
  const groups = picture.parts.filter(({ attributes }) => /scale/.test(attributes.transform ?? ""));
  assert.equal(groups.length, TABLES.length);
  groups.forEach((group, head) => {
    const cells = new Array(LENGTH * LENGTH).fill(0);
    for (const { attributes } of group.children) {
      const heat = Number(attributes.class.replace("c-heat-", ""));
      for (const [, x, y, wide] of attributes.d.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) for (let i = 0; i < Number(wide); i += 1) cells[Number(y) * LENGTH + Number(x) + i] = heat;
    }
    assert.deepEqual(cells, [...TABLES[head].weights].map((weight) => Math.round(Math.sqrt(weight) * (HEATS - 1))));
  });
});

test("axes have round numbers, within their range", () => {
  assert.deepEqual(ticksIn(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  for (const [low, high] of [[0, 1], [-0.12, 0.31], [1995, 2013], [1e-6, 3e-6], [-5, 1e5]]) {
    const ticks = ticksIn(low, high, 5);
    assert.ok(ticks.length >= 2 && ticks.length <= 11, `${ticks}`);
    for (const tick of ticks) assert.ok(tick >= low - 1e-9 && tick <= high + 1e-9 && !Object.is(tick, -0));
  }
  assert.deepEqual(ticksIn(3, 3, 5), [3]);
});

test("captions break where a language allows it, and lose nothing", () => {
  for (const text of ["several words that need more than a line of this width", "每个种子的结果都画成一个点，均值和区间在下面。（每步用时）"]) {
    const lines = linesOf(text, 120);
    assert.ok(lines.length > 1);
    assert.equal(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
  }
});

test("the colours of files are those of the page", () => {
  const css = readFileSync(new URL("../../www/styles/base.css", import.meta.url), "utf8");
  const property = (name) => /light-dark\((#\w+), (#\w+)\)/.exec(css.slice(css.indexOf(`--${name}: `)))?.slice(1);
  for (const [name, colours] of Object.entries(COLOURS)) assert.deepEqual(property(name), colours, name);
  HEAT.forEach((colours, stop) => assert.deepEqual(property(`heat-${stop}`), colours));
  for (const theme of [0, 1]) {
    assert.equal(heatOf(0, theme), HEAT[0][theme]);
    assert.equal(heatOf(HEATS - 1, theme), HEAT[2][theme]);
  }
});
