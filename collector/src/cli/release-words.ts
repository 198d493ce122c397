/** What `murmuration release ask` prints: an answer or a preview in lines. */

import type { Answer, Preview } from '../release/answer.ts';
import type { RangeSum } from '../release/measures/days.ts';
import type { Cell, ExpectedError } from '../release/measures/measure.ts';
import { kindOf, type Measure } from '../release/measures/table.ts';
import type { Measured } from '../release/query/making.ts';
import { table } from './table.ts';

const numberText = (value: number): string =>
  value >= 1000 ? `${Math.round(value)}` : Number.isInteger(value) ? `${value}` : value.toPrecision(3);
const cellText = (value: number): string => (Number.isInteger(value) ? `${value}` : value.toFixed(Math.abs(value) < 10 ? 2 : 1));

/** Sums over ranges of days, a line each. */
export const rangesText = (sums: readonly RangeSum[]): readonly string[] =>
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
  return found === undefined ? [heading, cellsText(cells)] : [heading];
}

function costLine({ cost, perDevice, days, bound }: Pick<Preview, 'cost' | 'perDevice' | 'days' | 'bound'>): string {
  const reports = bound === 1 ? 'one report' : `${bound} reports`;
  const several = days === 1 ? '' : `; ε ${perDevice.epsilon} for a device that reports on all ${days} days`;
  return `cost: ε ${cost.epsilon} for each device-day, of at most ${reports}${several}`;
}

/** An answer in lines. */
export function answerText(answer: Answer): string {
  const { results, openDays, isRepeated, entry, cost, perDevice, days, bound } = answer;
  return [
    ...results.flatMap(linesOf),
    isRepeated ? `cost: nothing; answered before, at ${entry.at}` : costLine({ cost, perDevice, days, bound }),
    ...(openDays === 0 ? [] : [`${openDays} of the days could still take reports when this was answered`]),
    `entry ${entry.n} of the ledger, ${entry.hash.slice(0, 16)}`,
  ].join('\n');
}

/** What an answer would cost, in lines. */
export function previewText(preview: Preview): string {
  const { errors, left = 'nothing, since the analyst has no budget' } = preview;
  return [
    ...errors.map(({ error, ...rest }) => `${nameOf(rest)} (${errorText(error, rest.measure)})`),
    costLine(preview),
    `left: ${left}`,
  ].join('\n');
}
