/** `murmuration simulate`: what a mechanism would show, before anybody ships it. */

import { DEFAULT_CELLS, MOST_CELLS, type Range } from '@murmuration/shared';
import type { Command } from 'commander';
import { readUtility, simulateBest } from '../simulate/best.ts';
import { MECHANISM_NAMES, simulateChoice } from '../simulate/choice.ts';
import { simulateChoices } from '../simulate/choices.ts';
import { parseDistribution } from '../simulate/distribution.ts';
import { simulateDistribution } from '../simulate/distribution-question.ts';
import { NUMBERS, simulateNumber } from '../simulate/number.ts';
import { table } from './table.ts';
import { numbersOption, positiveOption, print, UsageError, wholeOption } from './usage.ts';

interface SimulateOptions {
  readonly type: string;
  readonly answers?: number;
  readonly atMost?: number;
  readonly utility?: string;
  readonly edges?: readonly number[];
  readonly range?: readonly number[];
  readonly max?: number;
  readonly cells: number;
  readonly epsilon: number;
  readonly mechanism?: string;
  readonly clients: number;
  readonly distribution: string;
  readonly rounds: number;
  readonly seed: number;
  readonly json?: boolean;
}

const need = <T>(value: T | undefined, { type }: SimulateOptions, option: string): T => {
  if (value === undefined) throw new UsageError(`--type ${type}: expected ${option}, got none`);
  return value;
};

function rangeOf(options: SimulateOptions): Range {
  const range = need(options.range, options, '--range');
  if (range.length > 2) throw new UsageError(`--range: expected two numbers, got ${range.length}`);
  return range as unknown as Range;
}

async function simulateList(options: SimulateOptions, answers: number): Promise<object> {
  return simulateChoice({ ...options, answers, shares: await parseDistribution(options.distribution, answers) });
}

/** By type: each has an option of its own. */
const types: { readonly [type: string]: (options: SimulateOptions) => Promise<object> } = {
  choice: (options) => simulateList(options, need(options.answers, options, '--answers')),
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

const names = Object.keys(types).join(', ');

async function simulate(options: SimulateOptions): Promise<void> {
  const { type, json } = options;
  const run = Object.hasOwn(types, type) ? types[type] : undefined;
  if (run === undefined) throw new UsageError(`--type: expected one of ${names}, got ${JSON.stringify(type)}`);
  try {
    const result = await run(options);
    print(json, result, () =>
      table(
        ['', ''],
        Object.entries(result).map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
      ),
    );
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .description('run the shipping randomizer and estimator over seeded rounds')
    .requiredOption('--type <type>', names)
    .option('--answers <n>', 'how many answers the list has', wholeOption('--answers', 2, 100_000))
    .option('--at-most <n>', 'how many answers a set has at most: so many draws, equal ones once', wholeOption('--at-most', 1, 64))
    .option('--utility <file>', 'the utilities of the best of options: CSV, a row for each input, a column for each option')
    .option('--edges <list>', 'the edges of a histogram, 0,100,1000', numbersOption('--edges', 1))
    .option(
      '--range <low,high>',
      `the range of a mean, of which ${NUMBERS} numbers stand evenly spaced, or of a distribution`,
      numbersOption('--range', 2),
    )
    .option('--cells <n>', 'the cells of a distribution over its range', wholeOption('--cells', 2, MOST_CELLS), DEFAULT_CELLS)
    .option('--max <n>', 'the greatest count: the distribution is of 0 to it', wholeOption('--max', 1, 100_000))
    .requiredOption('--epsilon <e>', 'ε of one report', positiveOption('--epsilon'))
    .option(
      '--mechanism <name>',
      `of a list, ${MECHANISM_NAMES}; of a mean, piecewise, duchi, hybrid, laplace; of a count, piecewise, geometric; of a distribution, square-wave, hierarchical; the chooser decides when left out`,
    )
    .option('--clients <n>', 'reports a round', wholeOption('--clients', 1, 10_000_000), 100_000)
    .option('--distribution <d>', 'zipf:S, uniform or FILE.csv', 'zipf:1.1')
    .option('--rounds <n>', 'rounds', wholeOption('--rounds', 1, 100_000), 10)
    .option('--seed <n>', 'seed', wholeOption('--seed', 0, 2 ** 32 - 1), 1)
    .option('--json', 'one JSON document on standard output')
    .action(simulate);
}
