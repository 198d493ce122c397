/** `murmuration release ask`: one question from options, or any from a file; its answer as lines, or as JSON. */

import { readFileSync } from 'node:fs';
import type { Answer, Preview } from '../release/answer.ts';
import { systemRandom } from '../release/mechanisms/random.ts';
import type { ExpectedError, Measured } from '../release/query/measure.ts';
import { type Measure, parseQuestion, type Question } from '../release/query/question.ts';
import { Releases } from '../release/release.ts';
import { readParticipation } from '../release/table/participation.ts';
import { createCatalog } from '../schemas/catalog.ts';
import type { AdminPlace } from './admin.ts';
import { withLedger } from './release-place.ts';
import { load } from './serve.ts';
import { sourceOf } from './stored.ts';
import { table } from './table.ts';
import { print, UsageError } from './usage.ts';

/** The options of `ask`. */
export interface AskOptions extends AdminPlace {
  readonly schema?: string[];
  readonly analyst: string;
  readonly question?: string;
  readonly app?: string;
  readonly from?: string;
  readonly to?: string;
  readonly where: { readonly [column: string]: readonly string[] };
  readonly groupBy?: string[];
  readonly count?: boolean;
  readonly sum?: string;
  readonly low?: number;
  readonly high?: number;
  readonly median?: string;
  readonly mostUsed?: string;
  readonly epsilon?: string;
  readonly again?: boolean;
  readonly preview?: boolean;
  readonly json?: boolean;
}

/** Adds a value to those of a column. */
export function whereOption(text: string, before: AskOptions['where']): AskOptions['where'] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`--where: expected column=value, got ${JSON.stringify(text)}`);
  return { ...before, [name]: [...(before[name] ?? []), value] };
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`${name}: expected it, or a --question, got neither`);
  return value;
}

/** The measurement that options ask for. @throws {UsageError} */
function measureOf({ count, sum, low, high, median, mostUsed, groupBy, epsilon: given }: AskOptions): Measure {
  const epsilon = required('--epsilon', given);
  const asked = [count && 'count', sum && 'sum', median && 'median', mostUsed && 'mostUsed'].filter(Boolean);
  if (asked.length !== 1)
    throw new UsageError(`expected one of --count, --sum, --median and --most-used, got ${asked.length === 0 ? 'none' : asked.length}`);
  const grouped = groupBy && { groupBy };
  if (grouped && (median ?? mostUsed) !== undefined) throw new UsageError('--group-by: expected --count or --sum with it, got another');
  if (mostUsed !== undefined) return { kind: 'mostUsed', epsilon, column: mostUsed };
  if (median !== undefined) return { kind: 'median', epsilon, column: median };
  if (sum === undefined) return { kind: 'count', epsilon, ...grouped };
  if (low === undefined || high === undefined)
    throw new UsageError('--sum: expected --low and --high, since no noise covers one report of a sum without bounds, got none');
  return { kind: 'sum', epsilon, column: sum, low, high, ...grouped };
}

/** The question of the options. @throws {UsageError} */
function questionOf(options: AskOptions): Question {
  const { question: file, app, from, to, where } = options;
  if (file === undefined) {
    const first = required('--from', from);
    return { app: required('--app', app), from: first, to: to ?? first, where, measures: [measureOf(options)] };
  }
  try {
    return parseQuestion(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new UsageError(`--question ${file}: ${(error as Error).message}`);
  }
}

const numberText = (value: number): string => (Number.isInteger(value) ? `${value}` : value.toPrecision(3));

function errorText({ mechanism, standardDeviation, within, allWithin }: ExpectedError, { kind }: Measure): string {
  const what = kind === 'mostUsed' ? ' reports below the best' : kind === 'median' ? ' ranks' : '';
  const deviation = standardDeviation === undefined ? '' : `standard deviation ${numberText(standardDeviation)}, `;
  const all = allWithin === undefined ? '' : `, all of them within ${numberText(allWithin)}`;
  return `${mechanism}: ${deviation}within ${numberText(within)}${what} with 95 %${all}`;
}

function nameOf({ part, measure }: { readonly part?: string; readonly measure: Measure }): string {
  const of = measure.kind === 'count' ? 'count' : `${measure.kind} of ${measure.column}`;
  return part === undefined ? of : `${part}: ${of}`;
}

function linesOf({ cells = [], chosen, error, ...rest }: Measured): readonly string[] {
  const columns = Object.keys(cells[0]?.values ?? {});
  const rows = cells.map(({ values, value }) => [...columns.map((name) => values[name] || '(none)'), `${value}`]);
  const found = chosen === undefined && columns.length === 0 ? `${cells[0]?.value}` : chosen;
  const heading = `${nameOf(rest)}${found === undefined ? '' : `: ${found}`} (${errorText(error, rest.measure)})`;
  return found === undefined ? [heading, table([...columns, 'value'], rows)] : [heading];
}

function costLine({ cost, perDevice, days, bound }: Pick<Preview, 'cost' | 'perDevice' | 'days' | 'bound'>): string {
  const reports = bound === 1 ? 'one report' : `${bound} reports`;
  const several = days === 1 ? '' : `; ε ${perDevice.epsilon} for a device that reports on all ${days} days`;
  return `cost: ε ${cost.epsilon} for each device-day, of at most ${reports}${several}`;
}

function answerText(answer: Answer): string {
  const { results, openDays, isRepeated, entry, cost, perDevice, days, bound } = answer;
  return [
    ...results.flatMap(linesOf),
    isRepeated ? `cost: nothing; answered before, at ${entry.at}` : costLine({ cost, perDevice, days, bound }),
    ...(openDays === 0 ? [] : [`${openDays} of the days could still take reports when this was answered`]),
    `entry ${entry.n} of the ledger, ${entry.hash.slice(0, 16)}`,
  ].join('\n');
}

function previewText(preview: Preview): string {
  const { errors, left = 'nothing, since the analyst has no budget' } = preview;
  return [
    ...errors.map(({ error, ...rest }) => `${nameOf(rest)} (${errorText(error, rest.measure)})`),
    costLine(preview),
    `left: ${left}`,
  ].join('\n');
}

/** Asks, or with `--preview` says what asking would cost. */
export async function ask(options: AskOptions): Promise<void> {
  const { analyst, again = false, json } = options;
  const question = questionOf(options);
  const { schemas, published } = await load(options);
  await withLedger(options, async (ledger) => {
    // All versions that are known: what a device may add to a day follows from them together.
    const asked = { analyst, question, again, catalog: createCatalog([...schemas, ...published]) };
    const source = await sourceOf(options);
    const releases = new Releases({ ledger, read: (wanted) => readParticipation(source, wanted), random: systemRandom() });
    if (options.preview) {
      const preview = await releases.preview(asked);
      return print(json, preview, () => previewText(preview));
    }
    const answer = await releases.ask(asked);
    print(json, answer, () => answerText(answer));
  });
}
