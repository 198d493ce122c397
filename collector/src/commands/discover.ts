/** `murmuration discover`: the strings of a `discover` metric in a store. It only reads what is folded, so a collector may be running. */

import { isPrefixLaw } from '@murmuration/shared';
import type { Command } from 'commander';
import { type Discovered, type Discovery, discover, RATE } from '../discovery/discover.ts';
import { basisOf } from '../estimates/basis.ts';
import { createCatalog, type PublishedMetric } from '../schemas/catalog.ts';
import type { Evidence } from '../store/store.ts';
import { openTallies } from '../store/tallies.ts';
import { addPostgres } from './postgres-option.ts';
import { load } from './serve.ts';
import { sourceOf } from './stored.ts';
import { table } from './table.ts';
import { print, shareOption, UsageError, wholeOption } from './usage.ts';

interface DiscoverOptions {
  readonly schema?: string[];
  readonly data: string;
  readonly postgres?: string;
  readonly metric: string;
  readonly app?: string;
  readonly fdr: number;
  readonly minimum: number;
  readonly json?: boolean;
}

/** The answer of the command. */
interface Answer extends Pick<Discovery, 'reports' | 'unexplained'> {
  readonly app: string;
  readonly metric: string;
  readonly epsilon: number;
  readonly fdr: number;
  readonly seconds: number;
  readonly strings: readonly Discovered[];
}

/** The metric that is asked for. @throws {UsageError} when there is none, or it has no strings to discover */
function chosen(metrics: readonly PublishedMetric[], { metric, app }: DiscoverOptions): PublishedMetric {
  const isSought = ({ document }: PublishedMetric): boolean => isPrefixLaw(document.law);
  const found = metrics.filter((each) => each.metric === metric && (app === undefined || each.app === app));
  const [only, ...others] = found.filter(isSought);
  if (only !== undefined && others.length === 0) return only;
  const names = metrics.filter(isSought).map((each) => `${each.app} ${each.metric}`);
  const expected =
    others.length > 0 ? '--app with it, as several apps have this metric' : `a discover metric (${names.join(', ') || 'there is none'})`;
  throw new UsageError(`--metric: expected ${expected}, got ${JSON.stringify(metric)}`);
}

async function read(options: DiscoverOptions): Promise<{ readonly metric: PublishedMetric; readonly evidence: Evidence }> {
  const { schema } = options;
  const { schemas, published } = await load(options);
  const metric = chosen(createCatalog(schema === undefined ? published : schemas).metrics, options);
  const tallies = openTallies(await sourceOf(options));
  try {
    return { metric, evidence: await tallies.read({ schemas: metric.schemas, metric: metric.metric }) };
  } finally {
    await tallies.close();
  }
}

async function answerOf(options: DiscoverOptions): Promise<Answer> {
  const started = performance.now();
  const { metric, evidence } = await read(options).catch((error: Error) => {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  });
  const { document, app, metric: name } = metric;
  const { fdr, minimum } = options;
  const { people } = basisOf(document, evidence, 'population');
  const tallies = evidence.reports < minimum ? new Map() : evidence.tallies;
  if (!isPrefixLaw(document.law)) throw new UsageError(`--metric: expected a discover metric, got a ${document.type}`);
  const { strings, unexplained } = discover(document.law, tallies, { rate: fdr, people });
  const seconds = Math.round(performance.now() - started) / 1_000;
  return { app, metric: name, epsilon: document.epsilon, reports: evidence.reports, fdr, seconds, unexplained, strings };
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

function linesOf({ reports, strings, unexplained, fdr }: Answer): string {
  const rows = strings.map(({ text, isCut, estimate, low, high, qValue }) => [
    `${JSON.stringify(text)}${isCut ? ' ...' : ''}`,
    percent(estimate),
    `${percent(Math.max(0, low))} to ${percent(high)}`,
    qValue.toExponential(1),
  ]);
  return [
    ...(rows.length > 0 ? [table(['string', 'share', '95 % interval', 'q'], rows), ''] : []),
    `${strings.length} strings from ${reports} reports; ${percent(unexplained)} of the reports are of other strings.`,
    `On average, at most ${percent(fdr)} of the strings are ones that nobody has. Strings that are not listed may still be frequent.`,
  ].join('\n');
}

async function run(options: DiscoverOptions): Promise<void> {
  const answer = await answerOf(options);
  print(options.json, answer, () => linesOf(answer));
}

export function addDiscover(program: Command): void {
  const command = program.command('discover');
  addPostgres(command)
    .description('find the frequent strings of a discover metric, which nobody has listed')
    .option('--schema <file...>', 'schema modules or canonical JSON (default: those that schemas publish has put into the folder)')
    .option('--data <folder>', 'the folder of the store', '.data')
    .requiredOption('--metric <metric>', 'the metric')
    .option('--app <app>', 'the metric of this app')
    .option('--fdr <share>', 'the false discovery rate', shareOption('--fdr'), RATE)
    .option('--minimum <n>', 'no strings from fewer reports than this', wholeOption('--minimum', 1), 20)
    .option('--json', 'print JSON')
    .action(run);
}
