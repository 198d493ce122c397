/** `murmuration simulate`: what a mechanism would show, before anybody ships it. */

import type { Command } from 'commander';
import { MECHANISM_NAMES, simulateChoice } from '../simulate/choice.ts';
import { parseDistribution } from '../simulate/distribution.ts';
import { table } from './table.ts';
import { positiveOption, print, UsageError, wholeOption } from './usage.ts';

interface SimulateOptions {
  readonly type: string;
  readonly answers: number;
  readonly epsilon: number;
  readonly mechanism?: string;
  readonly clients: number;
  readonly distribution: string;
  readonly rounds: number;
  readonly seed: number;
  readonly json?: boolean;
}

async function simulate({ type, distribution, json, ...options }: SimulateOptions): Promise<void> {
  if (type !== 'choice') throw new UsageError(`--type: expected choice, got ${JSON.stringify(type)}`);
  const shares = await parseDistribution(distribution, options.answers);
  try {
    const result = simulateChoice({ ...options, shares });
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
    .requiredOption('--type <type>', 'choice')
    .requiredOption('--answers <n>', 'how many answers the list has', wholeOption('--answers', 2, 100_000))
    .requiredOption('--epsilon <e>', 'ε of one report', positiveOption('--epsilon'))
    .option('--mechanism <name>', `${MECHANISM_NAMES}; the chooser decides when left out`)
    .option('--clients <n>', 'reports a round', wholeOption('--clients', 1, 10_000_000), 100_000)
    .option('--distribution <d>', 'zipf:S, uniform or FILE.csv', 'zipf:1.1')
    .option('--rounds <n>', 'rounds', wholeOption('--rounds', 1, 100_000), 10)
    .option('--seed <n>', 'seed', wholeOption('--seed', 0, 2 ** 32 - 1), 1)
    .option('--json', 'one JSON document on standard output')
    .action(simulate);
}
