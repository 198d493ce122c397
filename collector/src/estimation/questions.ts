/** How the collector presents each type of question: its words, its candidates, and the options for planning one without a schema. */

import {
  type Answer,
  choice,
  choices,
  count,
  DEFAULT_CELLS,
  type DocumentOf,
  discover,
  distribution,
  flag,
  histogram,
  isListPart,
  type JointAnswer,
  joint,
  jointAnswers,
  type ListAsk,
  MAX_ANSWERS,
  type MetricDocument,
  MODULUS,
  MOST_BYTES,
  mean,
  pairText,
  type Question,
  type QuestionType,
  type Range,
  text,
} from '@murmuration/shared';
import { numbersOption, sizesOption, wholeOption } from '../base/usage.ts';

/** An answer to look for, and the text that devices hash for it. */
export interface CandidateAnswer {
  readonly answer: Answer | JointAnswer;
  readonly text: string;
}

/** A single question without a schema: the value of each type's option, and the options that all types share. */
export interface Asking {
  readonly epsilon: number;
  /** ε∞, if the answer is permanent. */
  readonly permanent?: number;
  /** Only for `choices`. */
  readonly atMost?: number;
  readonly [option: string]: unknown;
}

/** An option of `murmuration plan`: its flags, its description, and its parser. */
export type PlanOption = readonly [flags: string, description: string, read?: (text: string) => unknown];

/** How a question without a schema is planned. G is the type of its option's value. */
export interface Planning<in G> {
  /** The option with its own name, then other options that it needs. */
  readonly options: () => readonly PlanOption[];
  /** The question. `list` names the mechanism for long lists. */
  readonly question: (given: G, asking: Asking, list: ListAsk) => Question<never>;
  /** The question in one line. */
  readonly summary: (given: G, asking: Asking) => string;
  /** The call of its constructor in a schema. `ask` is the members of the last argument that all types have. */
  readonly source: (given: G, ask: string, asking: Asking) => string;
}

/** A type of question. */
export interface QuestionPresentation<T extends QuestionType> {
  /** True if an unlisted answer, or an unlisted part of one, sends nothing, so that sending anything reveals something. Default: never. */
  readonly isUnlistedSilent?: (metric: DocumentOf<T>) => boolean;
  /** The answers to look for when answers are texts, by candidate; undefined when the metric has no text. */
  readonly candidates?: (metric: DocumentOf<T>, candidates: readonly string[]) => readonly CandidateAnswer[] | undefined;
  /** True if all answers are texts, so that plans say among how many candidates they are looked for. */
  readonly isText?: true;
  /** The number of answers that are tested together, if it differs from the number of answers. */
  readonly tested?: number;
  /** Undefined when planning requires a schema. */
  readonly planning: Planning<never> | undefined;
}

/** Placeholder answers for a plan, which names none. */
const namesFor = (size: number): readonly string[] => Array.from({ length: size }, (_, i) => `answer ${i + 1}`);

/** The same answers, as source. */
const namesIn = (size: number): string => `[${namesFor(size).map((name) => `'${name}'`)}]`.replaceAll(',', ', ');

/** The description of a planned question. */
export const PLANNED = 'A question that is planned';

/** The two ends of an option's range. */
function rangeIn(option: string, numbers: readonly number[]): Range {
  if (numbers.length !== 2) throw new RangeError(`${option}: expected two numbers, the low and the high end, got ${numbers.length}`);
  return numbers as unknown as Range;
}

/**
 * The least loss of utility, compared with the best option, that an outcome of an exponential mechanism exceeds with probability at most
 * `chance` for every input. It is exact, from the matrix; lemma 7 of the paper gives only a bound.
 */
export function shortfallOf({ utility, law }: Extract<MetricDocument, { type: 'best' }>, chance: number): number {
  const weights = law.mechanism === 'exponential' ? law.weights : [];
  const losses = utility.map((row, input) => {
    const best = Math.max(...row);
    const falling = row
      .map((score, outcome) => ({ loss: best - score, weight: weights[input]?.[outcome] ?? 0 }))
      .sort((a, b) => b.loss - a.loss);
    let worse = 0;
    for (const { loss, weight } of falling) {
      worse += weight;
      if (worse > chance * MODULUS) return loss;
    }
    return 0;
  });
  return Math.max(...losses);
}

/** How the collector presents flags. */
const flagPresentation: QuestionPresentation<'flag'> = {
  tested: 1, // the share of no is 1 minus that of yes
  planning: {
    options: () => [['--flag', 'yes or no']],
    question: (_given, { epsilon }) => flag({ epsilon, description: PLANNED }),
    summary: () => 'A yes-or-no question',
    source: (_given, ask) => `flag({ ${ask} })`,
  },
};

/** How the collector presents choices of one answer. */
const choicePlanning: Planning<number> = {
  options: () => [['--choice <n>', 'one of so many answers', wholeOption('--choice', 2, MAX_ANSWERS)]],
  question: (size, _asking, list) => choice(namesFor(size), list),
  summary: (size) => `A choice of one of ${size} answers`,
  source: (size, ask) => `choice(${namesIn(size)}, { ${ask} })`,
};

const choicePresentation: QuestionPresentation<'choice'> = {
  isUnlistedSilent: ({ other }) => !other,
  planning: choicePlanning,
};

/** How the collector presents choices of several answers. */
const choicesPlanning: Planning<number> = {
  options: () => [
    ['--choices <n>', 'several of so many answers, with --at-most', wholeOption('--choices', 2, MAX_ANSWERS)],
    ['--at-most <n>', 'how many of --choices one user can give', wholeOption('--at-most', 1, 64)],
  ],
  question: (size, { epsilon, atMost = 1 }) => choices(namesFor(size), { epsilon, description: PLANNED, atMost }),
  summary: (size, { atMost }) => `A choice of up to ${atMost} of ${size} answers`,
  source: (size, ask, { atMost = 1 }) => `choices(${namesIn(size)}, { ${ask}, atMost: ${atMost} })`,
};

const choicesPresentation: QuestionPresentation<'choices'> = {
  isUnlistedSilent: ({ other }) => !other,
  planning: choicesPlanning,
};

/** How the collector presents the best of options. */
const bestPresentation: QuestionPresentation<'best'> = {
  isUnlistedSilent: () => true,
  planning: undefined, // its utilities are too many for a command line
};

const textPresentation: QuestionPresentation<'text'> = {
  candidates: (_metric, candidates) => candidates.map((candidate) => ({ answer: candidate, text: candidate })),
  isText: true,
  planning: {
    options: () => [['--text', 'any text, to be looked up among candidates']],
    question: (_given, { epsilon }) => text({ epsilon, description: PLANNED }),
    summary: () => 'A text in the user’s own words',
    source: (_given, ask) => `text({ ${ask} })`,
  },
};

/** How the collector presents lists that are asked together, with or without a text. */
const jointPlanning: Planning<readonly number[]> = {
  options: () => [['--joint <sizes>', 'an answer to each of several lists, 3,2', sizesOption('--joint')]],
  question: (sizes, _asking, list) => joint(Object.fromEntries(sizes.map((size, i) => [`list${i + 1}`, namesFor(size)])), list),
  summary: (sizes) => `${sizes.length} lists at once, of ${sizes.join(' × ')} answers`,
  source: (sizes, ask) => `joint({ ${sizes.map((size, i) => `list${i + 1}: ${namesIn(size)}`).join(', ')} }, { ${ask} })`,
};

const jointPresentation: QuestionPresentation<'joint'> = {
  isUnlistedSilent: () => true,
  // Each candidate combined with every answer of the lists.
  candidates: ({ questions }, candidates) => {
    if (questions.every(isListPart)) return undefined;
    const lists = jointAnswers(questions.filter(isListPart));
    return candidates.flatMap((candidate) =>
      lists.map((list, index) => {
        // In the order of the questions, as readers expect it.
        const answer = Object.fromEntries(questions.map((part) => [part.name, isListPart(part) ? (list[part.name] ?? '') : candidate]));
        return { answer, text: pairText(candidate, index) };
      }),
    );
  },
  planning: jointPlanning,
};

/** How the collector presents histograms. */
const histogramPlanning: Planning<readonly number[]> = {
  options: () => [['--histogram <edges>', 'which bucket between these edges a number is in, 0,100,1000', numbersOption('--histogram', 1)]],
  question: (edges, _asking, list) => histogram(edges, list),
  summary: (edges) => `A number in one of ${edges.length + 1} buckets`,
  source: (edges, ask) => `histogram([${edges.join(', ')}], { ${ask} })`,
};

const histogramPresentation: QuestionPresentation<'histogram'> = {
  planning: histogramPlanning,
};

/** As many strings of six letters are possible; a string of other length needs about as much evidence. */
const TESTED = 1e9;

const discoverPlanning: Planning<number> = {
  options: () => [['--discover <bytes>', 'any text of so many bytes, found without a list', wholeOption('--discover', 1, MOST_BYTES)]],
  question: (longest, { epsilon }) => discover({ epsilon, longest, description: PLANNED }),
  summary: (longest) => `A text of up to ${longest} bytes that nobody has listed`,
  source: (longest, ask) => `discover({ ${ask}, longest: ${longest} })`,
};

const discoverPresentation: QuestionPresentation<'discover'> = {
  candidates: (_metric, candidates) => candidates.map((candidate) => ({ answer: candidate, text: candidate })),
  isText: true,
  tested: TESTED,
  planning: discoverPlanning,
};

/** How the collector presents means. */
const meanPlanning: Planning<readonly number[]> = {
  options: () => [['--mean <low,high>', 'the average of a number', numbersOption('--mean', 2)]],
  question: (ends, { epsilon }) => mean(rangeIn('--mean', ends), { epsilon, description: PLANNED }),
  summary: ([low, high]) => `The average of a number from ${low} to ${high}`,
  source: (ends, ask) => `mean([${ends.join(', ')}], { ${ask} })`,
};

const meanPresentation: QuestionPresentation<'mean'> = {
  planning: meanPlanning,
};

/** How the collector presents counts. */
const countPlanning: Planning<number> = {
  options: () => [['--count <max>', 'the average of a count from 0', wholeOption('--count', 1, 100_000)]],
  question: (max, { epsilon }) => count(max, { epsilon, description: PLANNED }),
  summary: (max) => `The average of a count from 0 to ${max}`,
  source: (max, ask) => `count(${max}, { ${ask} })`,
};

const countPresentation: QuestionPresentation<'count'> = {
  planning: countPlanning,
};

/** How the collector presents distributions. */
const distributionPlanning: Planning<readonly number[]> = {
  options: () => [['--distribution <low,high>', 'how a number is spread', numbersOption('--distribution', 2)]],
  question: (ends, { epsilon }) => distribution(rangeIn('--distribution', ends), { epsilon, description: PLANNED }),
  summary: ([low, high]) => `How a number from ${low} to ${high} is spread, in ${DEFAULT_CELLS} cells`,
  source: (ends, ask) => `distribution([${ends.join(', ')}], { ${ask} })`,
};

const distributionPresentation: QuestionPresentation<'distribution'> = {
  planning: distributionPlanning,
};

/** How the collector presents every type of question, in the order of the help of `murmuration plan`. */
const presentations: { readonly [T in QuestionType]: QuestionPresentation<T> } = {
  flag: flagPresentation,
  choice: choicePresentation,
  choices: choicesPresentation,
  best: bestPresentation,
  joint: jointPresentation,
  histogram: histogramPresentation,
  text: textPresentation,
  discover: discoverPresentation,
  mean: meanPresentation,
  count: countPresentation,
  distribution: distributionPresentation,
};

/** The names of the types. Marked as pure, so that a bundler that takes `views` alone leaves them out, and the presentations with them. */
export const types: readonly QuestionType[] = /* @__PURE__ */ Object.keys(presentations) as QuestionType[];

/** The presentation of a type. The caller passes its metric to the functions of the metric's own type. */
export const presentationOf = (type: QuestionType): QuestionPresentation<QuestionType> =>
  presentations[type] as unknown as QuestionPresentation<QuestionType>;

/**
 * How the dashboard shows a type. The dashboard's page contains this table, but none of the presentations. A list shows its largest answers first;
 * a scale shows all answers in the order of its numbers; `yes-no` shows both, as parts of one whole. A number's mean and a distribution
 * come with their own data, and are shown accordingly.
 */
type View = 'yes-no' | 'list' | 'scale';

export const views: { readonly [T in QuestionType]: View } = {
  flag: 'yes-no',
  choice: 'list',
  choices: 'list',
  best: 'list',
  joint: 'list',
  histogram: 'scale',
  text: 'list',
  discover: 'list',
  mean: 'list',
  count: 'list',
  distribution: 'scale',
};
