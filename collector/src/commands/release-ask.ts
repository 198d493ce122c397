/** `murmuration release ask`: one question from options, or any from a file; its answer as lines, as JSON, or as CSV. */

import { readFileSync, writeFileSync } from 'node:fs';
import { answerCsv, assertTabular } from '../release/answer-csv.ts';
import { systemRandom } from '../release/mechanisms/random.ts';
import { type RangeSum, rangeSum } from '../release/query/days.ts';
import type { Measured } from '../release/query/measured.ts';
import { type Measure, parseQuestion, type Question } from '../release/query/question.ts';
import { Releases } from '../release/release.ts';
import { readParticipation } from '../release/table/participation.ts';
import { createCatalog } from '../schemas/catalog.ts';
import type { AdminPlace } from './admin.ts';
import { withLedger } from './release-place.ts';
import { answerText, previewText, rangesText } from './release-words.ts';
import { load } from './serve.ts';
import { sourceOf } from './stored.ts';
import { print, UsageError } from './usage.ts';

/** First and last day. */
type DayRangeText = readonly [from: string, to: string];

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
  readonly days?: boolean;
  readonly range?: readonly DayRangeText[];
  readonly synthetic?: string[];
  readonly about?: number;
  readonly out?: string;
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

/** Adds a range of days, such as 2026-11-01..2026-11-05. */
export function rangeOption(text: string, before: readonly DayRangeText[] = []): readonly DayRangeText[] {
  const [, from, to] = /^([\d-]+)\.\.([\d-]+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined)
    throw new UsageError(`--range: expected two days such as 2026-11-01..2026-11-05, got ${JSON.stringify(text)}`);
  return [...before, [from, to]];
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`${name}: expected it, or a --question, got neither`);
  return value;
}

/** The measurement that options ask for. @throws {UsageError} */
function measureOf(options: AskOptions): Measure {
  const { count, sum, low, high, median, mostUsed, days, synthetic, about, groupBy } = options;
  const epsilon = required('--epsilon', options.epsilon);
  const asked = [count, sum, median, mostUsed, days, synthetic].filter((each) => each !== undefined).length;
  if (asked !== 1)
    throw new UsageError(
      `expected one of --count, --sum, --median, --most-used, --days and --synthetic, got ${asked === 0 ? 'none' : asked}`,
    );
  const grouped = groupBy && { groupBy };
  if (grouped && count === undefined && sum === undefined)
    throw new UsageError('--group-by: expected --count or --sum with it, got another');
  if (days) return { kind: 'days', epsilon };
  if (synthetic !== undefined) {
    if (about === undefined)
      throw new UsageError('--synthetic: expected --about, how many reports you expect, for the error to be stated, got none');
    return { kind: 'synthetic', epsilon, columns: synthetic, about };
  }
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

function checkTabular(question: Question): void {
  try {
    assertTabular(question);
  } catch (error) {
    throw new UsageError(`--out: ${(error as Error).message}`);
  }
}

/** @throws {UsageError} when a range is not one of the question's, before anything is spent */
function checkRanges(range: readonly DayRangeText[], { from: first, to: last, measures = [] }: Question): void {
  if (range.length > 0 && (measures.length !== 1 || measures[0]?.kind !== 'days'))
    throw new UsageError('--range: expected --days with it, got another');
  const wrong = range.find(([from, to]) => !(first <= from && from <= to && to <= last));
  if (wrong !== undefined)
    throw new UsageError(`--range: expected days from ${first} to ${last}, the first one first, got ${wrong.join(' to ')}`);
}

/** Writes a file. The answer is stored by then, so another try is free. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`--out ${file}: ${(error as Error).message}; the answer is stored, and asking again costs nothing`);
  }
}

/** Asks, or with `--preview` says what asking would cost. */
export async function ask(options: AskOptions): Promise<void> {
  const { analyst, again = false, json, out, range = [] } = options;
  const question = questionOf(options);
  if (out !== undefined) checkTabular(question);
  checkRanges(range, question);
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
    const sums = range.map(([from, to]): RangeSum => rangeSum(answer.results[0] as Measured, from, to));
    if (out !== undefined) write(out, answerCsv(answer));
    print(json, sums.length === 0 ? answer : { ...answer, sums }, () => [answerText(answer), ...rangesText(sums)].join('\n'));
  });
}
