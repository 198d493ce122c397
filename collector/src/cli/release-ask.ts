/** `murmuration release ask`: asks the question of the options, or of a file; its answer as lines, as JSON, or as CSV. */

import { readFileSync, writeFileSync } from 'node:fs';
import { print, UsageError, unreadBecause } from '../base/usage.ts';
import { answerCsv, assertTabular } from '../release/answer-csv.ts';
import { type DayRangeText, type RangeSum, rangeSum } from '../release/measures/days.ts';
import type { Named } from '../release/measures/share.ts';
import { KINDS, type Kind, kindOf, type Measure } from '../release/measures/table.ts';
import { systemRandom } from '../release/mechanisms/random.ts';
import type { Measured } from '../release/query/making.ts';
import { measuringBy } from '../release/query/making.ts';
import { parseQuestion, type Question } from '../release/query/question.ts';
import { Releases } from '../release/release.ts';
import { readParticipation } from '../release/table/participation.ts';
import { createCatalog } from '../schemas/catalog.ts';
import type { AdminPlace } from './admin.ts';
import { withLedger } from './release-place.ts';
import { answerText, previewText, rangesText } from './release-words.ts';
import { load } from './serve.ts';
import { sourceOf } from './stored.ts';

/** The values of the kinds' own options. */
type OfKinds = { readonly [kind in Kind]?: unknown };

/** The options of `ask`. */
export interface AskOptions extends AdminPlace, OfKinds {
  readonly schema?: string[];
  readonly analyst: string;
  readonly question?: string;
  readonly app?: string;
  readonly from?: string;
  readonly to?: string;
  readonly where: Named;
  readonly groupBy?: string[];
  readonly low?: number;
  readonly high?: number;
  readonly range?: readonly DayRangeText[];
  readonly about?: number;
  readonly out?: string;
  readonly epsilon?: string;
  readonly again?: boolean;
  readonly preview?: boolean;
  readonly json?: boolean;
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`${name}: expected it, or a --question, got neither`);
  return value;
}

/** The own option of a kind, such as `--most-used`. */
const optionOf = (kind: Kind): string => kindOf(kind).options()[0]?.[0].split(' ')[0] ?? '';

const listed = (names: readonly string[], last: 'and' | 'or'): string => `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;

/** The measurement that options ask for. @throws {UsageError} */
function measureOf(options: AskOptions): Measure {
  const { low, high, about, groupBy } = options;
  const epsilon = required('--epsilon', options.epsilon);
  const [kind, ...others] = KINDS.filter((each) => options[each] !== undefined);
  if (kind === undefined || others.length > 0)
    throw new UsageError(`expected one of ${listed(KINDS.map(optionOf), 'and')}, got ${kind === undefined ? 'none' : others.length + 1}`);
  const { hasGroups, ofOptions } = kindOf(kind);
  if (groupBy && !hasGroups) {
    const grouped = KINDS.filter((each) => kindOf(each).hasGroups);
    throw new UsageError(`--group-by: expected ${listed(grouped.map(optionOf), 'or')} with it, got another`);
  }
  return ofOptions(options[kind] as never, {
    epsilon,
    grouped: groupBy ? { groupBy } : {},
    low,
    high,
    about: () => {
      if (about !== undefined) return about;
      throw new UsageError(`${optionOf(kind)}: expected --about, how many reports you expect, for the error to be stated, got none`);
    },
  });
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
    throw new UsageError(`--question ${file}: ${unreadBecause(error)}`);
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
    const releases = new Releases({ ledger, read: (wanted) => readParticipation(source, wanted), measuring: measuringBy(systemRandom()) });
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
