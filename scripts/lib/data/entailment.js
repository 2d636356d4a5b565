// Does a second sentence follow from a first? Made of what WordNet knows of nouns and adjectives, and of "no" and "not".
//
// "a robin" makes "a bird" true, and "no bird" false; "no bird" makes "a robin" false; "hot" makes "cold" false. Nothing
// else follows: not a robin from a bird, nor an eagle from a robin, nor cold from "not hot". A sentence has one sign for
// all that is in it, "a robin , a cup and a rose" or "no robin , no cup and no rose".
//
// To tell, one has to find the word in the first sentence that has to do with the second, if there is one: for each pair
// of signs half of the rows are neutral, and every word, as far as it can be, comes as often in those as in the others.

import { Random } from "./random.js";
import { WORDNET, areAntonyms, areNear, isKindOf } from "./wordnet.js";

/** @import { DataSet, Row } from "./set.js" */

/** @typedef {"+" | "-"} Sign "a robin" or "no robin", "hot" or "not hot" */
/** @typedef {"noun" | "adjective"} Kind */

/** @type {readonly Kind[]} */
const KINDS = ["noun", "noun", "noun", "adjective"];
/** @type {readonly Sign[]} */
const SIGNS = ["+", "-"];
const SIDES = /** @type {const} */ (["told", "neutral"]);

/** @typedef {{ kind: Kind, first: Sign, second: Sign, side: "told" | "neutral" }} Plan */

/** What each part has equally many rows of. @type {Plan[]} */
const PLANS = KINDS.flatMap((kind) =>
  SIGNS.flatMap((first) => SIGNS.flatMap((second) => SIDES.map((side) => ({ kind, first, second, side })))),
);

export const options = {
  seed: "entailment",
  /** Rows; multiples of 32 have as many neutral as other ones of each kind and pair of signs. */
  training: 12000,
  test: 992,
  /** Things in the first sentence. */
  things: /** @type {const} */ ([2, 3]),
  /** How often something stands before a sentence, so that places shift. */
  before: 0.5,
  /** Share of the ordered pairs of different words, such as "robin bird", that only the test has. */
  unseen: 0.2,
  /** Drafts of a row, of which the one is taken whose words have been the least on its side. */
  drafts: 6,
  /**
   * How often which word stands in the first sentence and which in the second, told of robins: an eagle is another
   * bird, a cup none. By the sign of the first sentence, and by whether the answer is neutral. Both sides of a sign ask
   * for a bird equally often.
   */
  cases: {
    noun: {
      "+": {
        told: { "robin robin": 5, "bird bird": 1, "robin bird": 4 },
        neutral: { "bird robin": 2, "eagle robin": 2, "cup robin": 1, "cup bird": 5 },
      },
      "-": {
        told: { "robin robin": 3, "bird bird": 3, "bird robin": 4 },
        neutral: { "eagle robin": 4, "cup robin": 3, "robin bird": 2, "cup bird": 1 },
      },
    },
    adjective: {
      "+": { told: { "hot hot": 1, "cold hot": 1 }, neutral: { "wet hot": 1 } },
      "-": { told: { "hot hot": 1 }, neutral: { "cold hot": 1, "wet hot": 1 } },
    },
  },
};

/** Well-known nouns. That each belongs to its category is checked with WordNet. @type {Record<string, string>} */
const CATEGORIES = {
  bird: "robin eagle owl crow sparrow parrot swan hawk penguin duck goose pigeon",
  fish: "salmon trout shark tuna cod carp herring eel perch pike sardine mackerel",
  insect: "ant bee beetle butterfly fly moth mosquito wasp cricket grasshopper termite dragonfly",
  dog: "poodle collie terrier beagle bulldog dalmatian spaniel corgi greyhound boxer pug husky",
  tree: "oak pine maple birch willow elm palm cedar beech ash fir spruce",
  flower: "daisy orchid poppy carnation sunflower marigold dahlia peony chrysanthemum aster zinnia snowdrop",
  fruit: "apple pear plum cherry peach banana lemon orange grape melon mango fig",
  vegetable: "carrot onion potato cabbage turnip pea bean celery cucumber tomato radish beet",
  tool: "hammer saw drill wrench chisel rake shovel screwdriver plow trowel spade pestle",
  instrument: "violin piano guitar flute drum trumpet harp cello clarinet organ banjo oboe",
  vehicle: "car truck bicycle tractor wagon sled tank motorcycle ambulance taxi cart locomotive",
  boat: "canoe kayak ferry gondola dinghy tugboat houseboat barge lifeboat rowboat motorboat punt",
  garment: "shirt coat skirt sweater jacket vest scarf robe gown kilt cape raincoat",
  seat: "chair bench sofa stool throne armchair couch pew saddle rocker ottoman pillion",
  building: "house church school hotel library temple theater restaurant hospital mosque greenhouse farmhouse",
  weapon: "sword knife gun bow spear pistol rifle cannon lance dagger tomahawk revolver",
  container: "bottle box basket bucket bag cup bowl jar barrel pot vase suitcase",
  relative: "mother son uncle aunt cousin niece nephew grandfather sister brother daughter wife",
};

/** Well-known adjectives. That each is the other's antonym is checked with WordNet. */
const OPPOSITES = [
  "hot/cold wet/dry large/small old/new fast/slow high/low hard/soft long/short",
  "wide/narrow deep/shallow thick/thin strong/weak rich/poor clean/dirty noisy/quiet rough/smooth",
  "true/false safe/dangerous beautiful/ugly cheap/expensive tight/loose brave/cowardly early/late awake/asleep",
];

const BEFORE = ["look ,", "today", "well ,"];

/** @type {DataSet} */
export const entailment = {
  name: "entailment",
  label: "What follows from a sentence",
  tasks: ["pair-classification"],
  ...WORDNET,
  source: `generated with relations of ${WORDNET.source}`,
  fewWords: true,
  make() {
    const random = new Random(options.seed);
    const unseen = unseenPairs(random);
    const test = new Maker(random, unseen, true).rows(options.test);
    const training = new Maker(random, unseen, false).rows(options.training, test);
    return { training, test };
  },
};

/** @type {Map<string, string[]> | undefined} */
let categoryTable;

/** The categories with their members. */
export function categories() {
  if (categoryTable) return categoryTable;
  categoryTable = new Map(Object.entries(CATEGORIES).map(([category, members]) => [category, members.split(" ")]));
  for (const [category, members] of categoryTable) {
    const strangers = members.filter((member) => !isKindOf(member, category));
    if (strangers.length > 0) throw new Error(`WordNet has no ${category} that is called ${strangers.join(", ")}`);
  }
  return categoryTable;
}

/** @type {string[][] | undefined} */
let oppositeTable;

/** Pairs of antonyms. */
export function opposites() {
  if (oppositeTable) return oppositeTable;
  oppositeTable = OPPOSITES.join(" ").split(" ").map((pair) => pair.split("/"));
  for (const [one, other] of oppositeTable) {
    if (!areAntonyms(one, other)) throw new Error(`WordNet does not have ${one} and ${other} as antonyms`);
  }
  return oppositeTable;
}

/**
 * What only the test has: "robin bird" or "bird robin", "hot cold" or "cold hot", one at most. Who knows the one knows
 * the other.
 *
 * @param {Random} random
 */
function unseenPairs(random) {
  const pairs = [...categories()].flatMap(([category, members]) => members.map((member) => [member, category]));
  const unseen = new Set();
  for (const [one, other] of [...pairs, ...opposites()]) {
    if (random.chance(options.unseen)) unseen.add(`${one} ${other}`);
    else if (random.chance(options.unseen)) unseen.add(`${other} ${one}`);
  }
  return unseen;
}

/** The words of a row to be. @typedef {{ things: string[], asked: string }} Draft */

/** Makes the rows of one part. */
class Maker {
  #random;
  #unseen;
  #isTest;
  /** Of each word, by signs and sentence: in how many more told rows it was than in neutral ones. @type {Map<string, number>} */
  #surplus = new Map();

  /**
   * @param {Random} random
   * @param {Set<string>} unseen
   * @param {boolean} isTest
   */
  constructor(random, unseen, isTest) {
    this.#random = random;
    this.#unseen = unseen;
    this.#isTest = isTest;
  }

  /**
   * @param {number} count
   * @param {Row[]} [others] rows not to make
   */
  rows(count, others = []) {
    const keyOf = (/** @type {Row} */ { text, second }) => `${text}|${second}`;
    const taken = new Set(others.map(keyOf));
    /** @type {Row[]} */
    const rows = [];
    while (rows.length < count) {
      const things = options.things[Math.floor(rows.length / PLANS.length) % options.things.length];
      const row = this.#row(PLANS[rows.length % PLANS.length], things);
      if (taken.has(keyOf(row))) continue;
      taken.add(keyOf(row));
      rows.push(row);
    }
    return this.#random.shuffled(rows);
  }

  /** @param {Plan} plan @param {number} count of things */
  #row({ kind, first, second, side }, count) {
    const [given, wanted] = weighted(this.#random, options.cases[kind][first][side]).split(" ");
    const drafts = Array.from({ length: options.drafts }, () =>
      kind === "noun" ? this.#nouns(given, wanted, count) : this.#adjectives(given, wanted, count),
    );
    const { things, asked } = this.#balanced(drafts, first + second, side === "neutral" ? -1 : 1);
    const text = this.#sentence(kind, first, things);
    const claim = this.#sentence(kind, second, [asked]);
    const label = answer(text, claim);
    if ((label === "neutral") !== (side === "neutral")) throw new Error(`${text} / ${claim} is ${label}`);
    return { text, second: claim, label };
  }

  /**
   * The draft whose words have been the least on its side.
   *
   * @param {Draft[]} drafts
   * @param {string} signs
   * @param {1 | -1} side
   */
  #balanced(drafts, signs, side) {
    const wordsOf = (/** @type {Draft} */ { things, asked }) => [...things, `asked ${asked}`].map((word) => `${signs} ${word}`);
    const surplusOf = (/** @type {string} */ word) => this.#surplus.get(word) ?? 0;
    const costs = drafts.map((draft) => wordsOf(draft).reduce((sum, word) => sum + side * surplusOf(word), 0));
    const best = drafts[costs.indexOf(Math.min(...costs))];
    for (const word of wordsOf(best)) this.#surplus.set(word, surplusOf(word) + side);
    return best;
  }

  /**
   * @param {string} given "robin", "bird", "eagle" or "cup"
   * @param {string} wanted "robin" or "bird"
   * @param {number} count
   * @returns {Draft}
   */
  #nouns(given, wanted, count) {
    const random = this.#random;
    for (;;) {
      const [bird, birds] = random.pick([...categories()]);
      const [robin, eagle] = random.sample(birds, 2);
      /** @type {Record<string, string>} */
      const words = { robin, eagle, bird };
      const asked = words[wanted];
      // A cannon is a gun to WordNet, though both stand for weapons here.
      if (given === "eagle" && related(eagle, asked)) continue;
      if (given !== wanted && (given === "robin" || given === "bird") && !this.#has(words[given], asked)) continue;
      const things = given === "cup" ? [] : [words[given]];
      // One of them is a category, whatever the answer.
      let categoryIsThere = given === "bird";
      for (const [category, members] of random.shuffled([...categories()])) {
        if (things.length === count) break;
        const noun = categoryIsThere ? random.pick(members) : category;
        if (category === bird || related(noun, asked)) continue;
        things.push(noun);
        categoryIsThere = true;
      }
      return { things: random.shuffled(things), asked };
    }
  }

  /**
   * @param {string} given "hot", "cold" or "wet"
   * @param {string} wanted "hot"
   * @param {number} count
   * @returns {Draft}
   */
  #adjectives(given, wanted, count) {
    const random = this.#random;
    for (;;) {
      const pair = random.pick(opposites());
      const [hot, cold] = random.shuffled(pair);
      if (given === "cold" && !this.#has(cold, hot)) continue;
      const things = given === "wet" ? [] : [given === "hot" ? hot : cold];
      for (const other of random.shuffled(opposites())) {
        if (things.length === count) break;
        const adjective = random.pick(other);
        if (other !== pair && !near(adjective, hot)) things.push(adjective);
      }
      return { things: random.shuffled(things), asked: hot };
    }
  }

  /** Is the pair one for this part? @param {string} given @param {string} asked */
  #has(given, asked) {
    return this.#unseen.has(`${given} ${asked}`) === this.#isTest;
  }

  /** @param {Kind} kind @param {Sign} sign @param {string[]} things */
  #sentence(kind, sign, things) {
    const random = this.#random;
    const [last, ...others] = things.map((word) => phrase(kind, sign, word)).reverse();
    const list = others.length === 0 ? last : `${others.reverse().join(" , ")} and ${last}`;
    return random.chance(options.before) ? `${random.pick(BEFORE)} ${list}` : list;
  }
}

/** @param {Kind} kind @param {Sign} sign @param {string} word */
function phrase(kind, sign, word) {
  if (kind === "adjective") return sign === "+" ? word : `not ${word}`;
  if (sign === "-") return `no ${word}`;
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}

/** @param {Random} random @param {Record<string, number>} weights */
function weighted(random, weights) {
  const entries = Object.entries(weights);
  let left = random.share() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0])[0];
}

/** A relation of two words that is asked of WordNet but once. @param {(one: string, other: string) => boolean} relation */
function remembered(relation) {
  /** @type {Map<string, boolean>} */
  const known = new Map();
  return (/** @type {string} */ one, /** @type {string} */ other) => {
    const key = `${one} ${other}`;
    const found = known.get(key) ?? relation(one, other);
    known.set(key, found);
    return found;
  };
}

const isA = remembered(isKindOf);
const near = remembered(areNear);
const opposite = remembered(areAntonyms);
const related = (/** @type {string} */ one, /** @type {string} */ other) => isA(one, other) || isA(other, one);

/**
 * The answer, told from the sentences as they are written, and by WordNet alone.
 *
 * @param {string} text
 * @param {string} second
 */
export function answer(text, second) {
  const [asked] = thingsOf(second);
  const truths = new Set(thingsOf(text).map((thing) => truthOf(asked.word, thing)).filter((truth) => truth !== undefined));
  if (truths.size === 0) return "neutral";
  if (truths.size > 1) throw new Error(`"${text}" contradicts itself on ${asked.word}`);
  return truths.has(asked.sign === "+") ? "entailment" : "contradiction";
}

/** Is `word` true, given a thing that is said? Unknown if undefined. @param {string} word @param {Thing} thing */
function truthOf(word, thing) {
  if (word === thing.word) return thing.sign === "+";
  if (thing.kind === "adjective") return thing.sign === "+" && opposite(thing.word, word) ? false : undefined;
  if (thing.sign === "+") return isA(thing.word, word) ? true : undefined;
  return isA(word, thing.word) ? false : undefined;
}

/** A word that is said to be true or false. @typedef {{ word: string, kind: Kind, sign: Sign }} Thing */

/** @type {Map<string, Kind> | undefined} */
let kinds;

/** What a sentence says. @param {string} text @returns {Thing[]} */
export function thingsOf(text) {
  kinds ??= new Map([
    ...[...categories()].flat(2).map((word) => /** @type {const} */ ([word, "noun"])),
    ...opposites().flat().map((word) => /** @type {const} */ ([word, "adjective"])),
  ]);
  const things = [];
  /** @type {Sign} */
  let sign = "+";
  for (const word of text.split(" ")) {
    const kind = kinds.get(word);
    if (kind) things.push({ word, kind, sign });
    sign = word === "no" || word === "not" ? "-" : "+";
  }
  return things;
}
