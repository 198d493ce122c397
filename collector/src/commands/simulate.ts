/** `murmuration simulate`: what a mechanism would show, before anybody ships it. */

import type { Command } from 'commander';
import { simulateChoice } from '../simulate/choice.ts';
import { parseDistribution } from '../simulate/distribution.ts';
import { table } from './table.ts';
import { numbersOption, positiveOption, print, UsageError, wholeOption } from './usage.ts';

interface SimulateOptions {
  readonly type: string;
  readonly answers?: number;
  readonly edges?: readonly number[];
  readonly epsilon: number;
  readonly mechanism?: string;
  readonly clients: number;
  readonly distribution: string;
  readonly rounds: number;
  readonly seed: number;
  readonly json?: boolean;
}

/** How many answers the type's own option gives it. */
function answersOf({ type, answers, edges }: SimulateOptions): number {
  if (type !== 'choice' && type !== 'histogram') throw new UsageError(`--type: expected choice or histogram, got ${JSON.stringify(type)}`);
  const size = type === 'choice' ? answers : edges && edges.length + 1;
  if (size === undefined) throw new UsageError(`--type ${type}: expected ${type === 'choice' ? '--answers' : '--edges'}, got none`);
  return size;
}

async function simulate(options: SimulateOptions): Promise<void> {
  const { type, json, edges, distribution } = options;
  const answers = answersOf(options);
  const shares = await parseDistribution(distribution, answers);
  try {
    const result = { ...simulateChoice({ ...options, answers, shares }), type, ...(type === 'histogram' && { edges }) };
    const { unbiased: mse, shrunk, normSub } = result.mse;
    const flat = Object.entries({ ...result, mse, 'mse when shrunk': shrunk, 'mse after norm-sub': normSub });
    print(json, result, () =>
      table(
        ['', ''],
        flat.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
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
    .requiredOption('--type <type>', 'choice or histogram')
    .option('--answers <n>', 'how many answers the list has', wholeOption('--answers', 2, 100_000))
    .option('--edges <list>', 'the edges of a histogram, 0,100,1000', numbersOption('--edges', 1))
    .requiredOption('--epsilon <e>', 'ε of one report', positiveOption('--epsilon'))
    .option('--mechanism <name>', 'k-ary or subset; the chooser decides when left out')
    .option('--clients <n>', 'reports a round', wholeOption('--clients', 1, 10_000_000), 100_000)
    .option('--distribution <d>', 'zipf:S, uniform or FILE.csv', 'zipf:1.1')
    .option('--rounds <n>', 'rounds', wholeOption('--rounds', 1, 100_000), 10)
    .option('--seed <n>', 'seed', wholeOption('--seed', 0, 2 ** 32 - 1), 1)
    .option('--json', 'one JSON document on standard output')
    .action(simulate);
}
