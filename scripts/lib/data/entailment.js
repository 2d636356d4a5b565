// Does a second sentence follow from a first, both about one picture? Made of nouns whose relations WordNet knows, and
// of the logic of "a" and "no": a robin makes a bird, no bird makes no robin, and not the other way round.
//
// A word alone says nothing of the answer, nor do all words of both sentences without their places: the noun that is
// asked for stands beside others of its kind with the opposite sign, and every noun, sign and pattern comes equally
// often with every answer.

import { Random } from "./random.js";
import { WORDNET, isKindOf } from "./wordnet.js";

/** @import { DataSet, Row } from "./set.js" */

/**
 * Who stands in the first sentence, to make the answer: the noun asked for itself, its category, a member of it; with
 * its sign. What follows is there to mislead.
 *
 * @typedef {{ weight: number, facts: string[] }} Reason facts such as "+same", "-category", "+member"
 */

export const options = {
  seed: "entailment",
  /** Rows; multiples of twelve are balanced exactly. */
  training: 12000,
  test: 996,
  /** Nouns of each category, at most. */
  members: 12,
  /** Things in the first sentence. */
  things: /** @type {const} */ ([3, 4]),
  /** How often the second sentence asks for a category, and not for a member. */
  asksCategory: 0.25,
  /** Share of the pairs of a noun of the first and a related one of the second sentence that only the test has. */
  unseen: 0.2,
  /** How often something stands before, and after, the heart of a sentence. */
  before: 0.4,
  after: 0.4,
  /** How often each reason makes the answer, among those that fit. `+same` is the noun with "a", `-same` with "no". */
  reasons: {
    member: {
      "+entailment": [{ weight: 1, facts: ["+same", "-member"] }],
      "+contradiction": [{ weight: 3, facts: ["-same", "+member"] }, { weight: 1, facts: ["-category"] }],
      "+neutral": [{ weight: 3, facts: ["+member", "-member"] }, { weight: 1, facts: ["+category"] }],
      "-entailment": [{ weight: 3, facts: ["-same", "+member"] }, { weight: 1, facts: ["-category"] }],
      "-contradiction": [{ weight: 1, facts: ["+same", "-member"] }],
      "-neutral": [{ weight: 3, facts: ["+member", "-member"] }, { weight: 1, facts: ["+category"] }],
    },
    category: {
      "+entailment": [{ weight: 3, facts: ["+member", "-member"] }, { weight: 1, facts: ["+same", "-member"] }],
      "+contradiction": [{ weight: 1, facts: ["-same"] }],
      "+neutral": [{ weight: 1, facts: ["-member", "-member"] }],
      "-entailment": [{ weight: 1, facts: ["-same"] }],
      "-contradiction": [{ weight: 3, facts: ["+member", "-member"] }, { weight: 1, facts: ["+same", "-member"] }],
      "-neutral": [{ weight: 1, facts: ["-member", "-member"] }],
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

const SIGNS = /** @type {const} */ (["+", "-"]);
const LABELS = ["contradiction", "entailment", "neutral"];

const FORMS = {
  "+": ["a *", "one *", "a single *"],
  "-": ["no *", "not one *", "not a single *"],
};
const LINKS = ["and", "and", "and also", "but", "plus"];
const BEFORE = ["today", "look ,", "as you can see ,", "well ,", "on this page", "if i am right ,"];
const AFTER = ["today", "in the picture", "here", "on this page", "as it seems", "by the way"];
const FRAMES = ["there is *", "we can see *", "the picture shows *", "it has *", "you will find *", "i see *"];

/** A noun with its sign. @typedef {{ sign: "+" | "-", noun: string }} Thing */

/** @type {DataSet} */
export const entailment = {
  name: "entailment",
  label: "What follows from a sentence",
  tasks: ["pair-classification"],
  ...WORDNET,
  source: `generated with relations of ${WORDNET.source}`,
  fewWords: true,
  make() {
    const maker = new Maker(new Random(options.seed));
    const test = maker.part(options.test, true);
    const tested = new Set(test.map(keyOf));
    const training = maker.part(options.training, false, tested);
    return { training, test };
  },
};

/** @param {Row} row */
const keyOf = ({ text, second }) => `${text}|${second}`;

/** The categories with their members. @type {Map<string, string[]> | undefined} */
let table;

export function categories() {
  if (table) return table;
  table = new Map(Object.entries(CATEGORIES).map(([category, members]) => [category, members.split(" ").slice(0, options.members)]));
  for (const [category, members] of table) {
    const strangers = members.filter((member) => !isKindOf(member, category));
    if (strangers.length > 0) throw new Error(`WordNet has no ${category} that is called ${strangers.join(", ")}`);
  }
  return table;
}

class Maker {
  #random;
  #categories = [...categories()];
  /** The pairs, in order, that only the test has. */
  #unseen = new Set();

  /** @param {Random} random */
  constructor(random) {
    this.#random = random;
    for (const [category, members] of this.#categories) {
      for (const first of members) {
        for (const second of members) if (first !== second && random.chance(options.unseen)) this.#unseen.add(`${first} ${second}`);
        // One direction at most: who knows that a robin is a bird knows it from the other.
        if (random.chance(options.unseen)) this.#unseen.add(`${first} ${category}`);
        else if (random.chance(options.unseen)) this.#unseen.add(`${category} ${first}`);
      }
    }
  }

  /**
   * Rows, equally many of each answer and of each sign of the second sentence.
   *
   * @param {number} count
   * @param {boolean} isTest
   * @param {Set<string>} [taken] rows not to make
   */
  part(count, isTest, taken = new Set()) {
    /** @type {Map<string, Row>} */
    const rows = new Map();
    const plans = LABELS.flatMap((label) => SIGNS.map((sign) => ({ label, sign })));
    while (rows.size < count) {
      const { label, sign } = plans[rows.size % plans.length];
      const row = this.#row(label, sign, isTest);
      if (!taken.has(keyOf(row))) rows.set(keyOf(row), row);
    }
    return this.#random.shuffled([...rows.values()]);
  }

  /**
   * @param {string} label
   * @param {"+" | "-"} sign
   * @param {boolean} isTest
   */
  #row(label, sign, isTest) {
    const random = this.#random;
    const asksCategory = random.chance(options.asksCategory);
    const reasons = options.reasons[asksCategory ? "category" : "member"];
    const { facts } = weighted(random, reasons[/** @type {keyof typeof reasons} */ (`${sign}${label}`)]);
    const { things, asked, category } = this.#choose(facts, sign, asksCategory, isTest);
    this.#fill(things, category);
    const row = { text: this.#sentence(random.shuffled(things)), second: this.#sentence([asked]), label };
    if (answer(things, asked) !== label) throw new Error(`${row.text} / ${row.second} is not ${label}`);
    return row;
  }

  /**
   * Nouns for the facts, whose pairs with what is asked for are all for the test, or none.
   *
   * @param {string[]} facts
   * @param {"+" | "-"} sign
   * @param {boolean} asksCategory
   * @param {boolean} isTest
   * @returns {{ things: Thing[], asked: Thing, category: string }}
   */
  #choose(facts, sign, asksCategory, isTest) {
    const random = this.#random;
    for (;;) {
      const [category, members] = random.pick(this.#categories);
      const asked = { sign, noun: asksCategory ? category : random.pick(members) };
      const others = random.shuffled(members.filter((member) => member !== asked.noun));
      const things = facts.map((fact) => {
        const noun = fact.endsWith("same") ? asked.noun : fact.endsWith("category") ? category : /** @type {string} */ (others.pop());
        return { sign: /** @type {"+" | "-"} */ (fact[0]), noun };
      });
      if (things.every(({ noun }) => noun === asked.noun || this.#unseen.has(`${noun} ${asked.noun}`) === isTest)) return { things, asked, category };
    }
  }

  /** Adds things of other categories, so that "a" and "no" come equally often. @param {Thing[]} things @param {string} category */
  #fill(things, category) {
    const random = this.#random;
    const others = random.shuffled(this.#categories.filter(([name]) => name !== category));
    const count = random.within(options.things);
    // Two of each, or of three things any two and one.
    const signs = /** @type {("+" | "-")[]} */ (["+", "+", "-", "-"]);
    for (const { sign } of things) signs.splice(signs.indexOf(sign), 1);
    for (const sign of random.shuffled(signs).slice(0, count - things.length)) {
      const [name, members] = /** @type {[string, string[]]} */ (others.pop());
      things.push({ sign, noun: random.chance(options.asksCategory) ? name : random.pick(members) });
    }
  }

  /** @param {Thing[]} things */
  #sentence(things) {
    const random = this.#random;
    let list = "";
    for (const { sign, noun } of things) {
      const form = random.pick(FORMS[sign]).replace("a *", /^[aeiou]/.test(noun) ? "an *" : "a *").replace("*", noun);
      list += list === "" ? form : ` ${random.pick(LINKS)} ${form}`;
    }
    const words = [random.pick(FRAMES).replace("*", list)];
    if (random.chance(options.before)) words.unshift(random.pick(BEFORE));
    if (random.chance(options.after)) words.push(random.pick(AFTER));
    return words.join(" ");
  }
}

/** @param {Random} random @param {Reason[]} reasons */
function weighted(random, reasons) {
  let left = random.share() * reasons.reduce((sum, { weight }) => sum + weight, 0);
  return reasons.find(({ weight }) => (left -= weight) < 0) ?? reasons[0];
}

/**
 * The answer, told from the things alone.
 *
 * @param {Thing[]} things
 * @param {Thing} asked
 */
export function answer(things, asked) {
  const isA = (/** @type {string} */ low, /** @type {string} */ high) => low === high || (categories().get(high) ?? []).includes(low);
  // "A robin" makes all above a robin; "no bird" unmakes all below a bird.
  const made = things.some(({ sign, noun }) => sign === "+" && isA(noun, asked.noun));
  const unmade = things.some(({ sign, noun }) => sign === "-" && isA(asked.noun, noun));
  if (made && unmade) throw new Error(`the things contradict each other on ${asked.noun}`);
  if (!made && !unmade) return "neutral";
  return made === (asked.sign === "+") ? "entailment" : "contradiction";
}
