/** `murmuration release ask`: asks the question of the options, or of a file; its answer as lines, as JSON, or as CSV. */

import { readFileSync, writeFileSync } from 'node:fs';
import { field, rawField } from '../base/csv.ts';
import { UsageError } from '../base/fault.ts';
import { print, unreadBecause } from '../base/usage.ts';
import { type Answer, answerCsv, assertTabular, type Preview } from '../release/answer.ts';
import { type DayRangeText, type RangeSum, rangeSum } from '../release/measures/days.ts';
import type { Cell, ExpectedError } from '../release/measures/measure.ts';
import { BELOW_ZERO, costInWords } from '../release/measures/page.ts';
import type { Named } from '../release/measures/share.ts';
import { KINDS, type Kind, kindOf, type Measure } from '../release/measures/table.ts';
import { systemRandom } from '../release/mechanisms/random.ts';
import { type Measured, measuringBy } from '../release/query/making.ts';
import { parseQuestion, type Question } from '../release/query/question.ts';
import { Releases } from '../release/release.ts';
import { readParticipation } from '../release/table/participation.ts';
import { createCatalog } from '../schemas/catalog.ts';
import type { AdminPlace } from './admin.ts';
import { withLedger } from './release-budget.ts';
import { load } from './serve.ts';
import { sourceOf } from './stored.ts';
import { table } from './table.ts';

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
  readonly exclude?: string;
  readonly where: Named;
  readonly groupBy?: string[];
  readonly low?: number;
  readonly high?: number;
  readonly range?: readonly DayRangeText[];
  readonly about?: number;
  readonly out?: string;
  readonly raw?: true;
  readonly epsilon?: string;
  readonly rho?: string;
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
  const { low, high, about, groupBy, rho } = options;
  const epsilon = rho ?? required('--epsilon', options.epsilon);
  if (rho !== undefined && options.epsilon !== undefined) throw new UsageError('expected --epsilon or --rho, got both');
  const [kind, ...others] = KINDS.filter((each) => options[each] !== undefined);
  if (kind === undefined || others.length > 0)
    throw new UsageError(`expected one of ${listed(KINDS.map(optionOf), 'and')}, got ${kind === undefined ? 'none' : others.length + 1}`);
  const { hasGroups, takesRho, ofOptions } = kindOf(kind);
  if (rho !== undefined && !takesRho) {
    const taking = KINDS.filter((each) => kindOf(each).takesRho);
    throw new UsageError(`--rho: expected ${listed(taking.map(optionOf), 'or')} with it, got ${optionOf(kind)}`);
  }
  if (groupBy && !hasGroups) {
    const grouped = KINDS.filter((each) => kindOf(each).hasGroups);
    throw new UsageError(`--group-by: expected ${listed(grouped.map(optionOf), 'or')} with it, got another`);
  }
  return ofOptions(options[kind] as never, {
    epsilon,
    paid: rho === undefined ? { epsilon } : { rho },
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
  const { question: file, app, from, to, exclude, where } = options;
  if (file === undefined) {
    const first = required('--from', from);
    const left = exclude === undefined ? {} : { exclude: exclude.split(',') };
    return { app: required('--app', app), from: first, to: to ?? first, ...left, where, measures: [measureOf(options)] };
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
  const { analyst, again = false, json, out, raw, range = [] } = options;
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
    if (out !== undefined) write(out, answerCsv(answer, raw ? rawField : field));
    print(json, sums.length === 0 ? answer : { ...answer, sums }, () => [answerText(answer), ...rangesText(sums)].join('\n'));
  });
}

/** Output of `murmuration release ask`: an answer or a preview in lines. */
const numberText = (value: number): string =>
  value >= 1000 ? `${Math.round(value)}` : Number.isInteger(value) ? `${value}` : value.toPrecision(3);
const cellText = (value: number): string => (Number.isInteger(value) ? `${value}` : value.toFixed(Math.abs(value) < 10 ? 2 : 1));

/** Sums over ranges of days, a line each. */
const rangesText = (sums: readonly RangeSum[]): readonly string[] =>
  sums.map(
    ({ from, to, estimate, standardError }) => `${from} to ${to}: ${cellText(estimate)}, standard error ${numberText(standardError)}`,
  );

/** Shares and associations lie between 0 and 1. */
const isFraction = ({ kind }: Measure): boolean => kindOf(kind).words.isFraction === true;
const fractionText = (value: number): string => value.toFixed(3);

function errorText({ mechanism, standardDeviation, within, allWithin, ranges, blocks }: ExpectedError, measure: Measure): string {
  const { unit = '', statedFor } = kindOf(measure.kind).words;
  const deviation = standardDeviation === undefined ? '' : `standard deviation ${numberText(standardDeviation)}, `;
  const all = allWithin === undefined ? '' : `, all of them within ${numberText(allWithin)}`;
  const sums = ranges && `; sums over ranges: ${numberText(ranges.mean)} in the mean, ${numberText(ranges.worst)} at worst`;
  const inBlocks =
    blocks &&
    `; ${blocks.count} blocks of some ${blocks.reports} reports, in which unrelated columns show up to ${fractionText(blocks.unrelated)}`;
  const bound = isFraction(measure) ? fractionText(within) : numberText(within);
  const expected = statedFor ? `, for ${statedFor(measure)} reports` : '';
  return `${mechanism}: ${deviation}within ${bound}${unit} with 95 %${all}${sums ?? ''}${inBlocks ?? ''}${expected}`;
}

function nameOf({ part, measure }: { readonly part?: string; readonly measure: Measure }): string {
  const of = kindOf(measure.kind).words.name(measure);
  return part === undefined ? of : `${part}: ${of}`;
}

/** A longer table than this is not printed. */
const MOST_ROWS = 1_100;

const intervalText = ({ low = 0, high = 1 }: Cell): string => `${fractionText(low)} to ${fractionText(high)}`;

function cellsText(cells: readonly Cell[]): string {
  const columns = Object.keys(cells[0]?.values ?? {});
  if (cells.length > MOST_ROWS) return `${cells.length} cells, which --out writes to a file`;
  const [first] = cells;
  const [hasErrors, hasIntervals] = [first?.standardError !== undefined, first?.low !== undefined];
  const rows = cells.map((cell) => [
    ...columns.map((name) => cell.values[name] || '(none)'),
    hasIntervals ? fractionText(cell.value) : cellText(cell.value),
    ...(hasErrors ? [numberText(cell.standardError ?? 0)] : []),
    ...(hasIntervals ? [intervalText(cell)] : []),
  ]);
  return table([...columns, 'value', ...(hasErrors ? ['standard error'] : []), ...(hasIntervals ? ['95 %'] : [])], rows);
}

/** The only number of an answer. */
function onlyText(cell: Cell | undefined, measure: Measure): string {
  if (cell === undefined || !isFraction(measure)) return `${cell?.value}`;
  return cell.low === undefined
    ? fractionText(cell.value)
    : `${fractionText(cell.value)}, between ${intervalText(cell).replace(' to ', ' and ')}`;
}

function linesOf({ cells = [], chosen, error, table: synthetic, ...rest }: Measured): readonly string[] {
  const hasColumns = Object.keys(cells[0]?.values ?? {}).length > 0;
  const found = chosen === undefined && !hasColumns ? onlyText(cells[0], rest.measure) : chosen;
  if (synthetic !== undefined) {
    const { mechanism, total, within } = synthetic;
    const heading = `${nameOf(rest)} (${mechanism}: ${total} reports, every marginal within ${numberText(within)} with 95 %)`;
    return [heading, cellsText(cells)];
  }
  const heading = `${nameOf(rest)}${found === undefined ? '' : `: ${found}`} (${errorText(error, rest.measure)})`;
  return [heading, ...(found === undefined ? [cellsText(cells)] : []), ...(cells.some(({ value }) => value < 0) ? [BELOW_ZERO] : [])];
}

function costLine({ cost, perDevice, days, bound }: Pick<Preview, 'cost' | 'perDevice' | 'days' | 'bound'>): string {
  const reports = bound === 1 ? 'one report' : `${bound} reports`;
  const several = days === 1 ? '' : `; ${costInWords(perDevice)} for a device that reports on all ${days} days`;
  return `cost: ${costInWords(cost)} for each device-day, of at most ${reports}${several}`;
}

/** An answer in lines. */
function answerText(answer: Answer): string {
  const { results, openDays, isRepeated, entry, cost, perDevice, days, bound } = answer;
  return [
    ...results.flatMap(linesOf),
    isRepeated ? `cost: nothing; answered before, at ${entry.at}` : costLine({ cost, perDevice, days, bound }),
    ...(openDays === 0 ? [] : [`${openDays} of the days could still take reports when this was answered`]),
    `entry ${entry.n} of the ledger, ${entry.hash.slice(0, 16)}`,
  ].join('\n');
}

/** Cost of an answer, in lines. */
function previewText(preview: Preview): string {
  const { errors, left = 'nothing, since the analyst has no budget' } = preview;
  return [
    ...errors.map(({ error, ...rest }) => `${nameOf(rest)} (${errorText(error, rest.measure)})`),
    costLine(preview),
    `left: ${left}`,
  ].join('\n');
}
