/** `murmuration simulate`: what a mechanism would show, before it ships. */

import {
  DEFAULT_CELLS,
  DEFAULT_LONGEST,
  kindOf,
  MAX_ANSWERS,
  MOST_BYTES,
  MOST_CELLS,
  type QuestionType,
  type Range,
} from '@murmuration/shared';
import type { Command } from 'commander';
import { asUsage, UsageError } from '../base/fault.ts';
import { numbersOption, positiveOption, print, sizesOption, wholeOption } from '../base/usage.ts';
import { types as questionTypes } from '../estimation/questions.ts';
import { readUtility, simulateBest } from '../planning/simulate/best.ts';
import { simulateChoice, simulateChoices } from '../planning/simulate/choice.ts';
import { simulateDistribution } from '../planning/simulate/distribution-question.ts';
import { BITS_NAMES, MECHANISM_NAMES, namesOf } from '../planning/simulate/lists.ts';
import { NUMBERS, simulateNumber } from '../planning/simulate/number.ts';
import { parseDistribution } from '../planning/simulate/simulation.ts';
import { simulateDiscover, simulateText } from '../planning/simulate/strings.ts';

/** The mechanisms that can be named for the other questions. */
const NAMED_OF = [
  ['string', 'text'] as const,
  ['mean', 'mean'] as const,
  ['count', 'count'] as const,
  ['distribution', 'distribution'] as const,
]
  .map(([word, of]) => `for a ${word}, ${namesOf(of).join(', ')}`)
  .join('; ');

interface SimulateOptions {
  readonly type: string;
  readonly answers?: number;
  readonly lists?: readonly number[];
  readonly bits?: number;
  readonly atMost?: number;
  readonly utility?: string;
  readonly edges?: readonly number[];
  readonly range?: readonly number[];
  readonly max?: number;
  readonly cells: number;
  readonly longest: number;
  readonly epsilon: number;
  readonly mechanism?: string;
  readonly permanent?: number;
  readonly days?: number;
  readonly clients: number;
  readonly distribution: string;
  readonly rounds: number;
  readonly seed: number;
  readonly json?: boolean;
}

/** The widest range: the spread of squared errors grows with the fourth power of its unit, and doubles end at 1.8e308. */
const WIDEST = 1e75;

const need = <T>(value: T | undefined, { type }: SimulateOptions, option: string): T => {
  if (value === undefined) throw new UsageError(`--type ${type}: expected ${option}, got none`);
  return value;
};

function rangeOf(options: SimulateOptions): Range {
  const range = need(options.range, options, '--range');
  if (range.length > 2) throw new UsageError(`--range: expected two numbers, got ${range.length}`);
  const [low, high] = range as unknown as Range;
  if (high - low > WIDEST) throw new UsageError(`--range: expected two numbers at most ${WIDEST} apart, got ${low},${high}`);
  return [low, high];
}

async function simulateList(options: SimulateOptions, answers: number): Promise<object> {
  return simulateChoice({ ...options, answers, shares: await parseDistribution(options.distribution, answers) });
}

type Run = (options: SimulateOptions) => Promise<object>;

/** The types that have options or errors of their own. */
const own: { readonly [T in QuestionType]?: Run } = {
  flag: async (options) => ({ ...(await simulateList(options, 2)), type: 'flag' }),
  choice: (options) => simulateList(options, need(options.answers, options, '--answers')),
  joint: async (options) => {
    const lists = need(options.lists, options, '--lists');
    const answers = lists.reduce((product, size) => product * size, 1);
    if (answers > MAX_ANSWERS) throw new UsageError(`--lists: expected a product of at most ${MAX_ANSWERS}, got ${answers}`);
    return { ...(await simulateList(options, answers)), type: 'joint', lists };
  },
  text: async (options) => {
    const answers = need(options.answers, options, '--answers');
    return simulateText({ ...options, answers, shares: await parseDistribution(options.distribution, answers) });
  },
  discover: async (options) => {
    if (options.mechanism !== undefined) throw new UsageError(`--mechanism: expected none for discover, got ${options.mechanism}`);
    const answers = need(options.answers, options, '--answers');
    return simulateDiscover({ ...options, answers, shares: await parseDistribution(options.distribution, answers) });
  },
  choices: async (options) => {
    const answers = need(options.answers, options, '--answers');
    const atMost = need(options.atMost, options, '--at-most');
    return simulateChoices({ ...options, answers, atMost, shares: await parseDistribution(options.distribution, answers) });
  },
  best: async (options) => {
    const utility = await readUtility(need(options.utility, options, '--utility'));
    return simulateBest({ ...options, utility, shares: await parseDistribution(options.distribution, utility.length) });
  },
  histogram: async (options) => {
    const edges = need(options.edges, options, '--edges');
    return { ...(await simulateList(options, edges.length + 1)), type: 'histogram', edges };
  },
  mean: async (options) => {
    const shares = await parseDistribution(options.distribution, NUMBERS);
    return simulateNumber({ ...options, type: 'mean', range: rangeOf(options), shares });
  },
  count: async (options) => {
    const max = need(options.max, options, '--max');
    const shares = await parseDistribution(options.distribution, max + 1);
    return simulateNumber({ ...options, type: 'count', range: [0, max], shares });
  },
  distribution: async (options) => {
    const range = rangeOf(options);
    return simulateDistribution({ ...options, range, shares: await parseDistribution(options.distribution, options.cells) });
  },
};

/** Any other list is simulated as so many answers. Undefined for a type of another kind. */
function runOf(type: QuestionType): Run | undefined {
  const { estimates, only } = kindOf({ type });
  const isList = estimates === 'shares' && only === undefined;
  const list: Run = async (options) => ({ ...(await simulateList(options, need(options.answers, options, '--answers'))), type });
  return own[type] ?? (isList ? list : undefined);
}

/** The types that can be simulated. */
const types = [...new Set([...(Object.keys(own) as QuestionType[]), ...questionTypes])].filter((type) => runOf(type) !== undefined);

const names = types.join(', ');

/** The types that can be permanent: those whose documents have no rule against it. */
const permanentTypes = types.filter((type) => !('permanent' in kindOf({ type }).rules()));

/** Days on which each client reports when the metric is permanent and `--days` is left out: a week. */
const DAYS = 7;

function daysOf({ type, permanent, days, epsilon }: SimulateOptions): number {
  if (permanent === undefined) {
    if (days !== undefined) throw new UsageError(`--days: expected --permanent with it, got ${days} days of a question that is asked once`);
    return 1;
  }
  if (!permanentTypes.includes(type as QuestionType))
    throw new UsageError(`--permanent: expected --type ${permanentTypes.join(', ')}, got ${JSON.stringify(type)}`);
  if (permanent < epsilon) throw new UsageError(`--permanent: expected at least --epsilon, ${epsilon}, got ${permanent}`);
  return days ?? DAYS;
}

/** The figures of a result, each with the path to it. Those that are measured have four digits. */
const figuresOf = (result: object, path = ''): readonly (readonly [string, string])[] =>
  Object.entries(result).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? figuresOf(value, `${path}${name}.`)
      : [[path + name, String(typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value)]],
  );

/** A line for each figure. */
function linesOf(result: object): string {
  const figures = figuresOf(result);
  const width = Math.max(...figures.map(([name]) => name.length));
  return figures.map(([name, figure]) => `${name.padEnd(width)}  ${figure}`).join('\n');
}

async function simulate(options: SimulateOptions): Promise<void> {
  const { type, json } = options;
  const run = types.includes(type as QuestionType) ? runOf(type as QuestionType) : undefined;
  if (run === undefined) throw new UsageError(`--type: expected one of ${names}, got ${JSON.stringify(type)}`);
  try {
    const result = await run({ ...options, days: daysOf(options) });
    print(json, result, () => linesOf(result));
  } catch (error) {
    asUsage(error);
  }
}

export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .description(
      'measure errors and coverage by running the shipped randomizer and estimator in seeded rounds; errors and coverage95 are about the simulated clients, populationCoverage95 about the distribution they are drawn from',
    )
    .requiredOption('--type <type>', names)
    .option('--answers <n>', 'the number of answers of a list, or of different strings', wholeOption('--answers', 2, MAX_ANSWERS))
    .option('--lists <sizes>', 'the number of answers of each list of a joint question, such as 3,2', sizesOption('--lists'))
    .option('--at-most <n>', 'the most answers in a set: so many are drawn, and equal ones count once', wholeOption('--at-most', 1, 64))
    .option('--utility <file>', 'a CSV file of utilities for `best`: a row for each input, a column for each option')
    .option('--edges <list>', 'the edges of a histogram, such as 0,100,1000', numbersOption('--edges', 1))
    .option(
      '--range <low,high>',
      `the range of a mean (${NUMBERS} evenly spaced numbers) or of a distribution`,
      numbersOption('--range', 2),
    )
    .option('--cells <n>', 'the number of cells of a distribution', wholeOption('--cells', 2, MOST_CELLS), DEFAULT_CELLS)
    .option('--longest <bytes>', 'the most bytes of a string to discover', wholeOption('--longest', 1, MOST_BYTES), DEFAULT_LONGEST)
    .option('--max <n>', 'the largest count', wholeOption('--max', 1, 100_000))
    .requiredOption('--epsilon <e>', 'ε of one report', positiveOption('--epsilon'))
    .option(
      '--mechanism <name>',
      `for a list: ${MECHANISM_NAMES}, or ${BITS_NAMES} with --bits; ${NAMED_OF} (default: the one that the library chooses)`,
    )
    .option('--bits <n>', `for ${BITS_NAMES}: how many answers a report has a bit for`, wholeOption('--bits', 1, 2 ** 16))
    .option('--permanent <e>', 'ε∞ of a permanent question, asked every day', positiveOption('--permanent'))
    .option('--days <n>', `on how many days each client reports (default: ${DAYS})`, wholeOption('--days', 1, 366))
    .option('--clients <n>', 'clients in each round', wholeOption('--clients', 1, 10_000_000), 100_000)
    .option('--distribution <d>', 'zipf:S, uniform or FILE.csv', 'zipf:1.1')
    .option('--rounds <n>', 'the number of rounds', wholeOption('--rounds', 1, 100_000), 10)
    .option('--seed <n>', 'the seed of all rounds', wholeOption('--seed', 0, 2 ** 32 - 1), 1)
    .option('--json', 'print one JSON document on standard output')
    .action(simulate);
}
