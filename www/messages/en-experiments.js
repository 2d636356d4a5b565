// What is said of the experiments of the findings, in English.

/** @type {Record<string, string>} */
export const experimentMessages = {
  "experiment.tables.title": "Tables instead of dot products",
  "experiment.tables.question":
    "Can a model learn language with a table of attention weights that never looks at a token?",
  "experiment.tables.about":
    "Three models learn a novel by characters: one compares tokens, one has a table that is trained, one a table that stays as it was drawn. All see the same batches for as many steps.",
  "experiment.tables.expects.near":
    "The trained table is at most 0.1 bits a character behind dot products, and the fixed one more than 1 bit better than chance.",
  "experiment.tables.expects.worse": "The trained table is worse than dot products by more than 0.1 bits a character.",
  "experiment.tables.expects.useless": "The fixed table is as good as chance, or at most 1 bit a character better.",
  "experiment.tables.claim.near": "A trained random table is nearly as good as dot products.",
  "experiment.tables.claim.fixed": "A fixed random table is worse than a trained one.",
  "experiment.tables.claim.far": "A fixed random table is still far above chance.",
  "experiment.tables.remark":
    "Chance is the best guess from how often each character occurs. The paper’s numbers are of far larger models, trained for far longer.",
  "experiment.tables.setup.novel": "Moby-Dick by characters",

  "experiment.mixtures.title": "Mixtures",
  "experiment.mixtures.question": "Is a mixture of a synthesizer and dot products at least as good as dot products alone?",
  "experiment.mixtures.about":
    "Two mixtures and plain dot products learn a novel by characters. Since a mixture has more weights, each is also held against a model of dot products whose feed-forward part is widened until both have as many.",
  "experiment.mixtures.expects.both":
    "Yes: Random + Vanilla is at most 0.02 bits a character behind, after as many steps and with as many weights.",
  "experiment.mixtures.expects.steps":
    "Only by its weights: after as many steps it is at most 0.02 bits a character behind, but a Vanilla with as many weights is better by more than that.",
  "experiment.mixtures.expects.neither":
    "No: after as many steps Random + Vanilla is worse by more than 0.02 bits a character.",
  "experiment.mixtures.claim.random": "Random + Vanilla is at least as good as Vanilla after as many steps.",
  "experiment.mixtures.claim.dense": "Dense + Vanilla is at least as good as Vanilla after as many steps.",
  "experiment.mixtures.claim.randomSized": "Random + Vanilla is at least as good as a Vanilla with as many weights.",
  "experiment.mixtures.claim.denseSized": "Dense + Vanilla is at least as good as a Vanilla with as many weights.",
  "experiment.mixtures.setup.novel": "Moby-Dick by characters",
  "experiment.mixtures.arm.wide-as-random": "Vanilla, as large as Random + Vanilla",
  "experiment.mixtures.arm.wide-as-dense": "Vanilla, as large as Dense + Vanilla",

  "experiment.pairs.title": "One sentence or two",
  "experiment.pairs.question": "Which needs tokens that look at each other: reading one sentence, or comparing two?",
  "experiment.pairs.about":
    "In one task a model says what a sentence is about, in the other whether one sentence follows from another. Every kind is trained on both.",
  "experiment.pairs.expects.pairs":
    "Only pairs of sentences need it: there Random is more than 10 points behind Vanilla, on single sentences at most 2.",
  "experiment.pairs.expects.both":
    "Both need it: Random is more than 10 points behind Vanilla on pairs of sentences, and more than 2 on single ones.",
  "experiment.pairs.expects.neither":
    "Neither needs it: Random is at most 10 points behind Vanilla on pairs of sentences, and at most 2 on single ones.",
  "experiment.pairs.claim.pairsRandom": "On pairs of sentences Vanilla is clearly better than Random.",
  "experiment.pairs.claim.pairsDense": "On pairs of sentences Vanilla is clearly better than Dense.",
  "experiment.pairs.claim.singleRandom": "On single sentences Random is as good as Vanilla.",
  "experiment.pairs.claim.singleDense": "On single sentences Dense is as good as Vanilla.",
  "experiment.pairs.setup.pairs": "Does the second sentence follow from the first?",
  "experiment.pairs.setup.single": "What is the sentence about?",

  "experiment.alignments.title": "Alignment and lookup",
  "experiment.alignments.question": "Does it take tokens that look at each other to write a word backwards, and to find a value by its key?",
  "experiment.alignments.about":
    "In one task a model writes a word backwards: where it has to look depends on the position alone. In the other it finds the value that belongs to a key, and where that stands is different in every text.",
  "experiment.alignments.expects.lookup":
    "Only the lookup needs it: there Random is more than 30 points behind Vanilla, at writing backwards at most 2.",
  "experiment.alignments.expects.both":
    "Both need it: Random is more than 30 points behind Vanilla at the lookup, and more than 2 at writing backwards.",
  "experiment.alignments.expects.neither":
    "Neither needs it: Random is at most 30 points behind Vanilla at the lookup, and at most 2 at writing backwards.",
  "experiment.alignments.claim.reverse": "Random writes words backwards as well as Vanilla.",
  "experiment.alignments.claim.recall": "Vanilla finds values by their keys, and Random does not.",
  "experiment.alignments.remark":
    "What writes also looks at what it read, and does so by dot products in all of these models: the kind is that of the attention within the word read and within the word written. For the lookup, chance is the most that can be had without telling which words belong together.",
  "experiment.alignments.setup.reverse": "A word backwards",
  "experiment.alignments.setup.recall": "A value by its key",

  "experiment.speed.title": "Speed",
  "experiment.speed.question": "How much faster is a table than dot products, and what does that gain in the same time?",
  "experiment.speed.about":
    "Three kinds learn a novel by characters, for as many steps. Then the time of a step is measured in turn, with nothing else running, and the curves are read off after as long.",
  "experiment.speed.expects.gains": "Random gets further than Vanilla in the same time.",
  "experiment.speed.expects.even": "Both get as far in the same time, within 0.02 bits a character.",
  "experiment.speed.expects.loses": "Vanilla gets further in the same time, though its steps are slower.",
  "experiment.speed.claim.vanilla": "A step of Random is faster than a step of Vanilla.",
  "experiment.speed.claim.dynamic": "A step of Random is faster than a step of dynamic convolution.",
  "experiment.speed.remark": "Speeds are those of this device, of a small model and a short text; the paper’s are of TPUs.",
  "experiment.speed.setup.novel": "Moby-Dick by characters, 64 at a time",

  "experiment.heads.title": "Heads",
  "experiment.heads.question": "Do many heads matter more for synthesizers than for dot products?",
  "experiment.heads.about":
    "Each of three kinds learns a novel by characters, once with a single head and once with eight, of the same width in all. What eight heads gain is then compared between kinds.",
  "experiment.heads.expects.more": "Yes: a table gains more from heads than dot products do.",
  "experiment.heads.expects.same": "Heads matter as much to both, within 0.02 bits a character.",
  "experiment.heads.expects.less": "No: dot products gain more from heads.",
  "experiment.heads.claim.random": "Eight heads gain more for Random than for Vanilla.",
  "experiment.heads.claim.dense": "Eight heads gain more for Dense than for Vanilla.",
  "experiment.heads.remark": "The budget is short: what a single head has not learned after these steps it may learn later.",
  "experiment.heads.setup.novel": "Moby-Dick by characters",
  "experiment.heads.arm.vanilla-1": "Vanilla, 1 head",
  "experiment.heads.arm.vanilla-8": "Vanilla, 8 heads",
  "experiment.heads.arm.random-1": "Random, 1 head",
  "experiment.heads.arm.random-8": "Random, 8 heads",
  "experiment.heads.arm.dense-1": "Dense, 1 head",
  "experiment.heads.arm.dense-8": "Dense, 8 heads",

  "experiment.weights.title": "Weights",
  "experiment.weights.question": "What do attention weights look like before and after training, and what does a random table turn into?",
  "experiment.weights.about":
    "Three kinds learn a novel by characters. Their attention weights on one line are counted before and after training, and the random table is kept all along the way.",
  "experiment.weights.expects.windows":
    "The table turns into windows: more than 10 points of its attention move to the position itself and the ones just before it.",
  "experiment.weights.expects.spread":
    "The table stays as spread out as it was drawn: at most 10 points of its attention move to the nearest positions or away.",
  "experiment.weights.claim.local": "Training turns a random table into local windows.",
  "experiment.weights.remark":
    "The measure is the share of attention on the position itself and the three before it, as a mean over heads, layers and positions that could look further back.",
  "experiment.weights.setup.novel": "Moby-Dick by characters",

  "experiment.reading.title": "Linformer and factorized random",
  "experiment.reading.question": "Which of the cheap kinds is worth its speed when texts are to be classified?",
  "experiment.reading.about":
    "Four kinds tell what a sentence is about, and whether a review is good or bad. Each is shown by its accuracy and by the time that a step takes.",
  "experiment.reading.expects.mixture": "Factorized random + Vanilla beats Vanilla on both.",
  "experiment.reading.expects.factorized": "Factorized random beats Linformer on both.",
  "experiment.reading.expects.alike": "All are within 2 points of Vanilla on both.",
  "experiment.reading.claim.topics": "Factorized random is at least as good as Linformer at topics.",
  "experiment.reading.claim.sentiment": "Factorized random is at least as good as Linformer at sentiment.",
  "experiment.reading.claim.topicsMixture": "Factorized random + Vanilla is at least as good as Vanilla at topics.",
  "experiment.reading.claim.sentimentMixture": "Factorized random + Vanilla is at least as good as Vanilla at sentiment.",
  "experiment.reading.claim.slower": "A step of Factorized random + Vanilla is slower than a step of Vanilla.",
  "experiment.reading.remark":
    "The paper used AG News and movie reviews; the sets here are smaller and other ones. At this length Linformer saves little.",
  "experiment.reading.setup.topics": "What is the sentence about?",
  "experiment.reading.setup.sentiment": "Is the review good or bad?",

  "experiment.cross.title": "Attention from target to source",
  "experiment.cross.question": "Can a table take the place of the attention by which what is written looks at what was read?",
  "experiment.cross.about":
    "An encoder and a decoder of dot products are joined by cross-attention: by dot products, or by a random table. One task has the source where the target needs it, the other has not.",
  "experiment.cross.expects.fails": "The table fails in both tasks: it gets more than 20 points less right in each.",
  "experiment.cross.expects.aligned":
    "It is more than 20 points behind at dates, and at most 2 where letters only move by three places.",
  "experiment.cross.expects.works": "At dates it is at most 2 points behind.",
  "experiment.cross.claim.fails": "Cross-attention can’t be a table: at dates it fails.",
  "experiment.cross.remark": "An experiment of this page: the package has no such option.",
  "experiment.cross.setup.dates": "Dates in another form",
  "experiment.cross.setup.shift": "Letters moved by three places",
  "experiment.cross.arm.dot": "Dot products across",
  "experiment.cross.arm.table": "A table across",

  "experiment.published.wmt": "WMT’14 English to German, BLEU (Tay et al. 2021)",
  "experiment.published.lm1b": "LM1B, perplexity (Tay et al. 2021)",
  "experiment.published.rouge": "PersonaChat, ROUGE-L (Tay et al. 2021)",
  "experiment.published.meteor": "PersonaChat, METEOR (Tay et al. 2021)",
  "experiment.published.c4": "C4, log perplexity (Tay et al. 2021)",
  "experiment.published.c4Speed": "C4, steps/s (Tay et al. 2021)",
  "experiment.published.glue": "GLUE (Tay et al. 2021)",
  "experiment.published.superglue": "SuperGLUE (Tay et al. 2021)",
  "experiment.published.agNews": "AG News, accuracy (Tay et al. 2021)",
  "experiment.published.movieReviews": "Movie reviews, accuracy (Tay et al. 2021)",
  "experiment.published.readingSpeed": "Both of these, steps/s (Tay et al. 2021)",
  "experiment.published.narang": "C4, log perplexity (Narang et al. 2021)",
  "experiment.published.narangSpeed": "C4, steps/s (Narang et al. 2021)",
};
