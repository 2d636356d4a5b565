// The texts that differ from task to task, and those about data, in English.

/** @type {Record<string, import("./index.js").Message>} */
export const taskMessages = {
  "task.language-model": "continue text",
  "task.masked-language-model": "fill gaps",
  "task.classification": "label texts",
  "task.pair-classification": "compare sentences",
  "task.sequence-to-sequence": "rewrite text",

  "data.which": "Which data",
  "data.own.text": "Your own text",
  "data.own.labelled": "Your own labelled texts",
  "data.own.pairs": "Your own pairs",
  "data.own.translated": "Your own sources and targets",
  "data.ownHelp.text": "Paste it, open a file, or drop one anywhere on the page.",
  "data.ownHelp.labelled":
    "A text and a label a row: paste them, open a file, or drop one anywhere on the page.",
  "data.ownHelp.pairs":
    "Two texts and a label a row: paste them, open a file, or drop one anywhere on the page.",
  "data.ownHelp.translated":
    "A source and a target a row: paste them, open a file, or drop one anywhere on the page.",
  "data.builtin.text": "{size}. {licence}; {source}.",
  "data.builtin.labelled": {
    one: "{rows} row, {size}. {licence}; {source}.",
    other: "{rows} rows, {size}. {licence}; {source}.",
  },
  "data.builtin.pairs": {
    one: "{rows} pair, {size}. {licence}; {source}.",
    other: "{rows} pairs, {size}. {licence}; {source}.",
  },
  "data.builtin.translated": {
    one: "{rows} row, {size}. {licence}; {source}.",
    other: "{rows} rows, {size}. {licence}; {source}.",
  },
  "data.about.text": "{label}: {size}. {licence}; {source}.",
  "data.about.rows": "{label}: {training} rows to train on, {test} to be tested on. {licence}; {source}.",
  "data.ownSplit":
    "Your data: {training} rows to train on, {test} others to be tested on, drawn by the seed.",
  "data.sample": "The first rows",
  "data.fetchFailed":
    "The built-in data could not be fetched ({reason}). Check the connection and press Compare again, or give your own.",
  "data.none.text": "There is no text yet. Paste one, or choose a built-in one.",
  "data.none.labelled": "There are no rows yet. Give texts with their labels, or choose a built-in set.",
  "data.none.pairs": "There are no rows yet. Give pairs with their labels, or choose a built-in set.",
  "data.none.translated": "There are no rows yet. Give sources with their targets, or choose a built-in set.",
  "data.noTest":
    "There are too few rows to test on some of them. Give at least ten, with several of every label.",
  "problem.unknownTask": "there is no task of this name here.",

  "set.moby-dick": "A novel, chapter by chapter.",
  "set.song-ci": "Poems to given tunes, in Chinese: the tune, then verses of set lengths.",
  "set.first-names": "One name a line: short, and quickly learned.",
  "set.sentiment": "Is a review’s sentence positive or negative? A few words decide.",
  "set.topics": "What sort of thing does a definition define? Single words give it away.",
  "set.recall": "Letters with a digit each, and one letter alone: which digit is its own?",
  "set.lookup": "A small table, its cells in any order: what stands in this row and this column?",
  "set.entailment": "Does the second sentence follow from the first, contradict it, or neither?",
  "set.copy": "Say the same again.",
  "set.reverse": "Say it backwards.",
  "set.shift": "Say the second half first.",
  "set.sort": "Put the letters in order.",
  "set.numbers": "Write a number in words.",
  "set.dates": "Write a date the short way, whatever the language.",
  "set.emoji": "Name an emoji in German, French or Spanish, as the first letters ask.",

  "set.recall.why":
    "Unless tokens are compared, guessing is what is left, right in {ceiling} of the rows: all digits in a text look equally likely. Random can’t compare: its table knows places, not tokens, and the letters stand in other places every time.",
  "set.lookup.why":
    "Unless tokens are compared, guessing is what is left, right in {ceiling} of the rows: all digits in a text look equally likely. Random can’t compare: its table knows places, not tokens, and the cells stand in other places every time.",
  "set.copy.why":
    "Copying needs no look at tokens: letter three always comes from place three. A fixed alignment is enough, so a table without tokens can learn it.",
  "set.reverse.why":
    "Where a letter comes from depends on its place and on the length alone, not on what stands there. An alignment by places is enough here, tokens need not be compared.",
  "set.shift.why":
    "Where a letter comes from depends on its place and on the length alone, not on what stands there. An alignment by places is enough here, tokens need not be compared.",
  "set.sort.why": "Where a letter goes depends on all the others: no fixed alignment sorts.",

  "score.bits": "Bits a character",
  "score.bits.help": "On text held out: how many bits the model needs to write a character",
  "score.guesses": "Hidden words guessed",
  "score.guesses.help": "On text held out: the share of hidden tokens whose likeliest guess is right",
  "score.perplexity.short": "ppl",
  "score.accuracy": "Right",
  "score.accuracy.help": "The share of test rows that got their label (accuracy)",
  "score.f1.short": "F1",
  "score.exactMatch": "Exactly right",
  "score.exactMatch.help": "The share of test rows whose target came out letter for letter",
  "score.exactMatch.short": "exact",
  "score.bleu": "BLEU",
  "score.bleu.help": "How many runs of words of the target came out, from 0 to 100",
  "score.bleu.short": "BLEU",
  "baseline.commonest": "Always the commonest label",
  "baseline.copy": "A copy of the input",
  "baseline.commonToken": "Always the commonest token",
  "table.besides": "{name} {value}",
  "table.ceiling": "The best guess without comparing tokens",
  "race.ceiling":
    "Without comparing tokens, the best guess is right in {value} of the test rows, give or take chance: several answers look equally likely.",

  "race.chartHelp.language-model":
    "Training loss, nats a token, lower is better. Rings: text held out; filled: all of it, at the end.",
  "race.chartHelp.masked-language-model":
    "Training loss, nats a hidden token, lower is better. Rings: text held out; filled: all of it, at the end.",
  "race.chartHelp.classification":
    "Training loss, nats a row, lower is better. Rings: some of the test rows; filled: all of them.",
  "race.chartHelp.pair-classification":
    "Training loss, nats a pair, lower is better. Rings: some of the test pairs; filled: all of them.",
  "race.chartHelp.sequence-to-sequence":
    "Training loss, nats a token of the target, lower is better. Rings: some of the test rows; filled: all of them.",
  "table.loss.help.language-model": "Training loss, nats a token, mean since the report before",
  "table.loss.help.masked-language-model": "Training loss, nats a hidden token, mean since the report before",
  "table.loss.help.classification": "Training loss, nats a row, mean since the report before",
  "table.loss.help.pair-classification": "Training loss, nats a pair, mean since the report before",
  "table.loss.help.sequence-to-sequence":
    "Training loss, nats a token of the target, mean since the report before",
  "race.heldOut.whole": "Scores are on all of the held-out text, which is never trained on.",
  "race.heldOut.text":
    "≈ marks a quick score on {characters} held-out characters; the score at the end is on all of them.",
  "race.heldOut.part":
    "≈ marks a quick score on {part} of the {all} test rows, which are never trained on; the score at the end is on all of them.",
  "race.heldOut.rows": "Scores are on all {all} test rows, which are never trained on.",
  "status.validating.text": "{kind}: scoring the held-out text.",
  "status.validating.labelled": "{kind}: scoring all test rows.",
  "status.validating.pairs": "{kind}: scoring all test pairs.",
  "status.validating.translated": "{kind}: writing all test rows, to score them. This takes a while.",

  "field.batch.help.text": "windows a step",
  "field.batch.help.labelled": "rows a step",
  "field.batch.help.pairs": "pairs a step",
  "field.batch.help.translated": "rows a step",
  "field.length.help.text": "tokens a window",
  "field.length.help.labelled": "tokens of a text; the rest is cut off",
  "field.length.help.pairs": "tokens of both texts; the rest is cut off",
  "field.length.help.translated": "tokens of source or target",
  "field.dropout": "Dropout",
  "field.dropout.help": "against learning by heart",
  "field.vocabulary": "Vocabulary",
  "field.vocabulary.help": "tokens at most, the commonest",
  "field.beams": "Beams",
  "field.beams.help": "1 takes the likeliest",
  "field.top": "Guesses",
  "field.top.help": "for each gap",
  "choice.word": "Words",
  "choice.bpe": "Pieces of words",

  "tested.title": "Rows they have not seen",
  "tested.lead":
    "Test rows are never trained on. What the models make of them changes while training goes on.",
  "predictions.title": "A few of them",
  "predictions.truth": "Right answer:",
  "predictions.none": "not asked yet",
  "predictions.right": "right:",
  "predictions.wrong": "wrong:",
  "confusion.title": "Which they take for which",
  "confusion.help":
    "A row is a true label, a column what the model said. What stands on the diagonal is right; a stronger colour is a larger share of the row.",
  "confusion.none": "Nothing scored yet.",
  "confusion.about": {
    one: "{score} right of {rows} row. {name}: {baseline}.",
    other: "{score} right of {rows} rows. {name}: {baseline}.",
  },
  "confusion.of": "{kind}: true labels and what it said",
  "confusion.corner": "is ↓ said →",
  "confusion.cell": {
    one: "{rows} row that is {truth} was taken for {said}: {share}",
    other: "{rows} rows that are {truth} were taken for {said}: {share}",
  },

  "answers.classify.title": "Let them answer",
  "answers.classify.lead": "Each model labels the same text. Type: the answers follow.",
  "answers.classify.prompt": "Text",
  "answers.classifyPair.title": "Let them answer",
  "answers.classifyPair.lead": "Each model compares the same two texts. Type: the answers follow.",
  "answers.classifyPair.prompt": "First text",
  "answers.classifyPair.second": "Second text",
  "answers.translate.title": "Let them answer",
  "answers.translate.lead": "Each model rewrites the same source. Type: the answers follow.",
  "answers.translate.prompt": "Source",
  "answers.fill.title": "Let them fill the gaps",
  "answers.fill.lead": "Hide a word or a few; each model says what it would put there.",
  "answers.fill.prompt": "Sentence",
  "fill.words": "The sentence word by word: press one to hide it or to bring it back",
  "fill.help": "Press a word to hide it and again to bring it back, or type [MASK] in its place.",
  "fill.gap": "Gap {number}",
  "fill.blank": "___ {number}",
  "fill.gapWas": "Gap {number}, was “{word}”",
  "fill.candidates": "Guesses for gap {number}, with probabilities",
  "fill.noMask": "Nothing is hidden yet: press a word above.",
  "ask.ask": "Ask",
  "ask.another": "Another test row",
  "ask.columns": "What each model answers",
  "ask.empty": "Nobody to ask yet: press Compare first, or open a saved model.",
  "ask.nothing": "Write something to ask about.",
  "ask.silent": "Not asked yet.",
  "ask.after": { one: "After {step} step of training.", other: "After {step} steps of training." },
  "ask.done": "All have answered.",
  "ask.known": "The test data says: {answer}",
  "ask.right": "right",
  "ask.wrong": "wrong: it is {answer}",
  "ask.nothingSaid": "(nothing)",
  "ask.probabilities": "Probability of each label",

  "inside.lead.language-model":
    "Who looks where: each row is a token, each column a token it takes from; a stronger colour is more. A kind that sees nothing has the same picture for every text: change the text and watch which pictures move.",
  "inside.lead.masked-language-model":
    "Who looks where: each row is a token, each column a token it takes from, on either side; a stronger colour is more. A kind that sees nothing has the same picture for every text: change the text and watch which pictures move.",
  "inside.lead.classification":
    "Who looks where: each row is a token, each column a token it takes from; a stronger colour is more. The label is read from what all rows make together.",
  "inside.lead.pair-classification":
    "Who looks where: each row is a token, each column a token it takes from; a stronger colour is more. In the dashed blocks one sentence looks at the other: that is where they are compared.",
  "inside.lead.sequence-to-sequence":
    "Who looks where: each row is a token, each column a token it takes from; a stronger colour is more.",
  "inside.first": "First text",
  "inside.second": "Second text",
  "inside.source": "Source",
  "inside.target": "Target",
  "inside.part": "Part of the model",
  "inside.part.cross": "Alignment",
  "inside.part.cross.help":
    "From target to source: rows are tokens of the target, columns those of the source that they are read from.",
  "inside.part.encoder": "Encoder",
  "inside.part.encoder.help": "Within the source.",
  "inside.part.decoder": "Decoder",
  "inside.part.decoder.help": "Within the target, where only what stands before can be seen.",
  "inside.crossShare": "{share} of its attention goes to the other sentence",

  "conclusions.limit.question": "What does this data ask for?",
  "conclusions.limit.seen": "Here {kind} reached {value}.",
  "conclusions.bits.more":
    "{kind} needs {value} bits a character against {referenceValue} of {reference}: {change} more.",
  "conclusions.bits.less":
    "{kind} needs {value} bits a character against {referenceValue} of {reference}: {change} less.",
  "conclusions.bits.level":
    "{kind} needs {value} bits a character, {reference} {referenceValue}: no difference that one run could show.",
  "conclusions.guesses.more":
    "{kind} guesses {value} of the hidden tokens against {referenceValue} of {reference}: {change} points more.",
  "conclusions.guesses.less":
    "{kind} guesses {value} of the hidden tokens against {referenceValue} of {reference}: {change} points fewer.",
  "conclusions.guesses.level":
    "{kind} guesses {value} of the hidden tokens, {reference} {referenceValue}: no difference that one run could show.",
  "conclusions.accuracy.more":
    "{kind} labels {value} of the test rows right against {referenceValue} of {reference}: {change} points more.",
  "conclusions.accuracy.less":
    "{kind} labels {value} of the test rows right against {referenceValue} of {reference}: {change} points fewer.",
  "conclusions.accuracy.level":
    "{kind} labels {value} of the test rows right, {reference} {referenceValue}: no difference that so many rows could show.",
  "conclusions.exactMatch.more":
    "{kind} gets {value} of the test rows exactly right against {referenceValue} of {reference}: {change} points more.",
  "conclusions.exactMatch.less":
    "{kind} gets {value} of the test rows exactly right against {referenceValue} of {reference}: {change} points fewer.",
  "conclusions.exactMatch.level":
    "{kind} gets {value} of the test rows exactly right, {reference} {referenceValue}: no difference that so many rows could show.",
  "conclusions.bleu.more": "{kind} reaches BLEU {value} against {referenceValue} of {reference}: {change} more.",
  "conclusions.bleu.less": "{kind} reaches BLEU {value} against {referenceValue} of {reference}: {change} less.",
  "conclusions.bleu.level":
    "{kind} reaches BLEU {value}, {reference} {referenceValue}: no difference that one run could show.",
  "conclusions.paper.classification.synthesizer": "This page holds no published number of this sort.",
  "conclusions.paper.classification.mixture": "This page holds no published number of this sort.",
  "conclusions.paper.pair-classification.synthesizer":
    "In the paper, on GLUE and SuperGLUE, kinds that make no comparison fall behind. The authors’ reason: there, attention has to compare two sentences.",
  "conclusions.paper.pair-classification.mixture":
    "In the paper, on GLUE and SuperGLUE, mixtures with dot products keep up with the usual kind.",
  "conclusions.paper.wmt.more":
    "In the paper, translating English to German (WMT 2014): BLEU {value} against {reference}, {change} more.",
  "conclusions.paper.wmt.less":
    "In the paper, translating English to German (WMT 2014): BLEU {value} against {reference}, {change} less.",

  "files.otherTask": "This model was made to {task}. Choose that above and the sections below will ask it.",
};
