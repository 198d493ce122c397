// The answers so far: each question in words, its numbers, and what they cost.

import type { VNode } from 'preact';
import type { Cell, Measure, Measured, Release } from '../api/shown.ts';
import { count, dayRange } from './format.ts';
import { DaysPicture } from './release-days.tsx';

/** A measurement in words. */
function measureInWords(measure: Measure): string {
  switch (measure.kind) {
    case 'count':
      return 'Reports';
    case 'days':
      return 'Reports by day';
    case 'synthetic':
      return `Synthetic table of ${measure.columns.join(', ')}`;
    case 'association':
      return `Association of ${measure.columns.join(' and ')}`;
    case 'share':
      return `Share of ${measure.column} ${measure.values.join(', ')}`;
    case 'sum':
      return `Sum of ${measure.column}`;
    default:
      return measure.kind === 'median' ? `Median of ${measure.column}` : `Most used ${measure.column}`;
  }
}

const number = (value: number): string => count(value).replace('-', '\u2212');
const percent = (share: number): string => `${(100 * share).toFixed(1)}\u00a0%`;

/** A number of an answer. */
function shownValue({ kind }: Measure, value: number): string {
  if (kind === 'share') return percent(value);
  return kind === 'association' ? value.toFixed(2) : number(value);
}

const intervalOf = ({ low, high }: Cell): string => (low === undefined || high === undefined ? '' : `${percent(low)} to ${percent(high)}`);

/** The heading of numbers in a table, below the measurement in words. */
const HEADINGS: { readonly [kind in Measure['kind']]?: string } = { count: 'reports', share: 'share', sum: 'sum', synthetic: 'weight' };

/** How far a result is off. */
function errorOf({ measure, error, table, cells = [] }: Measured): string {
  const [first] = cells;
  if (measure.kind === 'share')
    return cells.length === 1 && first !== undefined
      ? `(${intervalOf(first)} with 95\u00a0%)`
      : 'with the range that holds each with 95\u00a0%';
  if (measure.kind === 'association')
    return `± ${error.within.toFixed(2)} with 95\u00a0%, for the mean of ${count(error.blocks?.count ?? 0)} blocks of reports`;
  const off =
    measure.kind === 'median'
      ? ' ranks'
      : measure.kind === 'mostUsed'
        ? ' reports fewer than the best'
        : table
          ? ' for every marginal'
          : '';
  return `± ${number(Math.ceil(table?.within ?? error.within))}${off} with 95\u00a0%`;
}

/** More rows than this are not shown. */
const MOST_ROWS = 100;

function Result(result: Measured): VNode {
  const { part, measure, cells = [], chosen } = result;
  const columns = Object.keys(cells[0]?.values ?? {});
  const title = `${part === undefined ? '' : `${part}: `}${measureInWords(measure)}`;
  const [only] = cells;
  const hasIntervals = only?.low !== undefined;
  return (
    <div class="release-result">
      <p>
        {title}
        {columns.length === 0 && (
          <>
            : <strong>{chosen ?? shownValue(measure, only?.value ?? 0)}</strong>
          </>
        )}
        <span class="quiet"> {errorOf(result)}</span>
      </p>
      {measure.kind === 'days' && <DaysPicture cells={cells} />}
      {columns.length > 0 && measure.kind !== 'days' && (
        <div class="release-wide">
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                <th scope="col" class="release-number">
                  {HEADINGS[measure.kind]}
                </th>
                {hasIntervals && (
                  <th scope="col" class="release-number">
                    range
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {cells.slice(0, MOST_ROWS).map((cell) => (
                <tr key={columns.map((name) => cell.values[name]).join('\n')}>
                  {columns.map((name) => (
                    <td key={name}>{cell.values[name] || '(none)'}</td>
                  ))}
                  <td class="release-number">{shownValue(measure, cell.value)}</td>
                  {hasIntervals && <td class="release-number">{intervalOf(cell)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {cells.length > MOST_ROWS && measure.kind !== 'days' && (
        <p class="quiet">
          The first {MOST_ROWS} of {count(cells.length)} rows. The API gives all of them as CSV.
        </p>
      )}
    </div>
  );
}

function Released({ question, results, analyst, cost, perDevice, days, openDays, entry }: Release): VNode {
  const only = results.length > 0 ? (question.where?.['metric'] ?? []) : [];
  return (
    <article class="panel release-panel">
      <h3>
        {question.app}, {dayRange(question.from, question.to)}
      </h3>
      <p class="quiet">{only.length <= 3 ? only.join(', ') : `${only.length} metrics`}</p>
      {results.map((result, i) => (
        <Result key={`${result.part ?? ''} ${i}`} {...result} />
      ))}
      <p class="quiet">
        {analyst} paid ε {cost.epsilon} for each device-day
        {days > 1 && `, ε ${perDevice.epsilon} for a device that reports on all ${days} days`}. Entry {entry.n} of the ledger,{' '}
        <code title={entry.hash}>{entry.hash.slice(0, 12)}</code>.{openDays > 0 && ` ${openDays} of the days could still take reports.`}
      </p>
    </article>
  );
}

export function Answers({ answers }: { answers: readonly Release[] }): VNode {
  return (
    <section class="app" aria-labelledby="answers">
      <h2 id="answers">Answers</h2>
      {answers.length === 0 ? (
        <div class="panel">
          <p class="quiet">Nothing was released yet.</p>
        </div>
      ) : (
        answers.map((answer) => <Released key={answer.entry.n} {...answer} />)
      )}
    </section>
  );
}
