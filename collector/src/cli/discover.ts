/** `murmuration discover`: the strings of a `discover` metric in a store. It only reads what is folded, so a collector may be running. */

import { isPrefixLaw, type PrefixLaw } from '@murmuration/shared';
import type { Command } from 'commander';
import { basisOf, type ExcludedDays, excludedIn } from '../answers/estimates.ts';
import { asUsage, UsageError } from '../base/fault.ts';
import { print, shareOption, wholeOption } from '../base/usage.ts';
import type { DiscoveredString } from '../decoding/discovery/discover.ts';
import { type Discovery, discover, RATE } from '../decoding/discovery/discover.ts';
import type { Step } from '../decoding/discovery/select.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';
import { load } from './serve.ts';
import { fromStore, metricsOf } from './stored.ts';
import { addStored, type StoredOptions } from './stored-options.ts';
import { table, terminalLine } from './table.ts';

interface DiscoverOptions extends StoredOptions {
  readonly fdr: number;
  readonly minimum: number;
  readonly json?: boolean;
}

/** The answer of the command. */
interface Answer extends Pick<Discovery, 'reports' | 'unexplained' | 'detectable'> {
  readonly app: string;
  readonly metric: string;
  readonly epsilon: number;
  readonly fdr: number;
  readonly seconds: number;
  readonly strings: readonly DiscoveredString[];
  /** Days that were left out. */
  readonly excluded?: readonly ExcludedDays[];
}

/** The one metric that is asked for, and its law. @throws {UsageError} when it has no strings to discover */
function discoverMetric(metrics: readonly PublishedMetric[]): readonly [metric: PublishedMetric, law: PrefixLaw] {
  const sought = metrics.filter(({ document }) => isPrefixLaw(document.law));
  const [only, ...others] = sought;
  const law = only?.document.law;
  if (only !== undefined && law !== undefined && isPrefixLaw(law) && others.length === 0) return [only, law];
  const named = (all: readonly PublishedMetric[]): string => all.map(({ app, metric }) => `${app} ${metric}`).join(', ');
  throw new UsageError(
    `--metric: expected one discover metric, got ${sought.length > 0 ? named(sought) : `${named(metrics)} of other types`}`,
  );
}

const stepInWords = ({ search, found, length, longest, kept }: Step): string =>
  `search ${search}: ${found} strings so far; ${length} of ${longest} bytes, ${kept} beginnings still possible`;

async function answerOf(options: DiscoverOptions): Promise<Answer> {
  const started = performance.now();
  const { fdr, minimum } = options;
  const [metric, law] = discoverMetric(metricsOf(options, await load(options)));
  const line = terminalLine(process.stderr);
  const [found] = await fromStore(options, [metric], ({ evidence }) => {
    const { people } = basisOf(metric.document, evidence, 'population');
    const tallies = evidence.reports < minimum ? new Map() : evidence.tallies;
    const onStep = (step: Step): void => line?.write(stepInWords(step));
    return { ...discover(law, tallies, { rate: fdr, people, onStep }), reports: evidence.reports, left: excludedIn(evidence.excluded) };
  });
  line?.clear();
  if (found === undefined) throw new UsageError(`--metric ${metric.metric}: expected reports in ${options.data}, got none`);
  const { reports, unexplained, detectable, strings, left } = found;
  const seconds = Math.round(performance.now() - started) / 1_000;
  return {
    app: metric.app,
    metric: metric.metric,
    epsilon: metric.document.epsilon,
    reports,
    ...left,
    fdr,
    seconds,
    unexplained,
    detectable,
    strings,
  };
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

function linesOf({ reports, strings, unexplained, detectable, fdr }: Answer): string {
  const rows = strings.map(({ text, isCut, estimate, low, high, qValue }) => [
    `${JSON.stringify(text)}${isCut ? ' ...' : ''}`,
    percent(estimate),
    `${percent(low)} to ${percent(high)}`,
    qValue.toExponential(1),
  ]);
  return [
    ...(rows.length > 0 ? [table(['string', 'share', '95 % interval', 'q'], rows), ''] : []),
    `${strings.length} strings from ${reports} reports; ${percent(unexplained.estimate)} of the reports are of other strings.`,
    detectable < 1
      ? `A string of six letters is found half of the time if ${percent(detectable)} of the reports come from it.`
      : 'Not enough reports: even a string that every report has could not be told from chance.',
    `On average, at most ${percent(fdr)} of the strings are ones that nobody has. Strings that are not listed may still be frequent.`,
  ].join('\n');
}

async function run(options: DiscoverOptions): Promise<void> {
  const answer = await answerOf(options).catch(asUsage);
  print(options.json, answer, () => linesOf(answer));
}

export function addDiscover(program: Command): void {
  const command = program.command('discover').description('find the frequent strings of a discover metric, which nobody has listed');
  addStored(command)
    .option('--fdr <share>', 'the false discovery rate', shareOption('--fdr'), RATE)
    .option('--minimum <n>', 'no strings from fewer reports than this; for readability, it hides nothing', wholeOption('--minimum', 1), 20)
    .option('--json', 'print JSON')
    .action(run);
}
