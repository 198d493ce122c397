/** Phrases at which native readers stumble, each with what to write instead. They look at one paragraph as plain text. */

export interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** The start of a sentence. */
const START = '(?:^|[.:!?]["”)]? )';
const sentence = (pattern: string): RegExp => new RegExp(START + pattern);

export const PHRASES: readonly Phrase[] = [
  {
    pattern: sentence('Of (?:a|an|the|each|every|these|those|all|an) [^.]{1,80}?(?:,| (?:is|are|has|have) )'),
    instead: 'the subject first: "Each answer of a list has ..."',
  },
  { pattern: sentence('Who [^.?!]{1,150}[.]'), instead: '"Devices that ...", "People who ..."' },
  { pattern: sentence('Whoever\\b'), instead: '"Anyone who ...", "People who ..."' },
  { pattern: sentence('What (?:is|are) (?:no|not)\\b'), instead: '"Requests that are not ..."' },
  { pattern: /\bwhat is no\b/i, instead: '"that is not"' },
  { pattern: /\banew\b/, instead: '"again", or a verb with re-: "restart"' },
  { pattern: /\b(?:is|are|be) put by\b/, instead: '"is queued", "is stored"' },
  { pattern: /\bby itself\b/, instead: '"alone", "without help", "on its own"' },
  { pattern: /\b(?:stands?|stood) in(?: for)?\b/, instead: '"is in", "replaces"' },
  { pattern: /\bby being there\b/, instead: '"by its presence"' },
  { pattern: /\bwhere there is one\b/, instead: '"if it has one"' },
  { pattern: /\bfor (?:it|they|this|that|these|those|we) (?:is|are|has|have|was|would|could|can|does)\b/, instead: '"because"' },
  { pattern: /\bthe least that there is\b/, instead: '"the minimum"' },
  { pattern: /\b(?:mends?|mended|mending)\b/i, instead: '"fix"' },
  { pattern: /\bcomes? through\b/, instead: '"survives", "passes"' },
  { pattern: /\bsave for\b|\bbut for\b/, instead: '"except"' },
  { pattern: /\bthereof\b|\bthereby\b|\bherein\b|\bwhereof\b/i, instead: 'a plain "of it", "so", "here"' },
  { pattern: /\bshall\b/, instead: '"should", "must" or "will"' },
];

/** The openings of a docstring that leave its noun to the reader. */
export const OPENINGS: Phrase = {
  pattern: /^(?:What|Who|Whose|Whom|Whoever|Whether)\b/,
  instead: 'the noun of what it is, a verb of what it does, or "True if"',
};

/** The most lines of 120 characters that a paragraph may have. */
export const MOST_LINES = 6;

/** The most words that a sentence may have; a list of things may be long, an argument may not. */
export const MOST_WORDS = 45;
