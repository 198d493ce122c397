// The answers so far: each question in words, its numbers, and what they cost.

import type { VNode } from 'preact';
import type { Cell, Measured, Release } from '../api/shown.ts';
import { BELOW_ZERO, costInWords, onPageOf, percent } from '../api/shown-releases.ts';
import { count, dayRange } from './format.ts';

// A picture of an answer to days: a line through the days, and a band of two standard errors to each side.

const [WIDTH, HEIGHT] = [600, 120];

/** Standard errors to each side. */
const BAND = 2;

const signed = (value: number): string => count(Math.round(value)).replace('-', '\u2212');

function DaysPicture({ cells }: { cells: NonNullable<Measured['cells']> }): VNode {
  const days = cells.map(({ values }) => values['day'] ?? '');
  const [from, to] = [days[0] ?? '', days.at(-1) ?? ''];
  const numbers = cells.map(({ value }) => value);
  const halves = cells.map(({ standardError = 0 }) => BAND * standardError);
  // The axis begins at 0, and below it where noise has made a day negative.
  const [low, high] = [
    Math.min(0, ...numbers.map((value, i) => value - (halves[i] ?? 0))),
    Math.max(1, ...numbers.map((value, i) => value + (halves[i] ?? 0))),
  ];
  const x = (i: number): number => (cells.length === 1 ? WIDTH / 2 : (i / (cells.length - 1)) * WIDTH);
  const y = (value: number): number => HEIGHT * (1 - (value - low) / (high - low));
  const along = (by: number): readonly string[] =>
    numbers.map((value, i) => `${x(i).toFixed(1)},${y(value + by * (halves[i] ?? 0)).toFixed(1)}`);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const label = `Reports by day, ${dayRange(from, to)}: from ${signed(least)} to ${signed(most)}`;
  return (
    <figure class="release-days">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <polygon points={[...along(1), ...along(-1).toReversed()].join(' ')} />
        <line x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        <polyline points={along(0).join(' ')} />
      </svg>
      <figcaption class="quiet">
        <span>{from}</span>
        <span>
          {signed(least)} to {signed(most)} a day
        </span>
        <span>{to}</span>
      </figcaption>
    </figure>
  );
}

const number = (value: number): string => count(value).replace('-', '\u2212');

const intervalOf = ({ low, high }: Cell): string => (low === undefined || high === undefined ? '' : `${percent(low)} to ${percent(high)}`);

/** More rows than this are not shown. */
const MOST_ROWS = 100;

function Result(result: Measured): VNode {
  const { part, measure, cells = [], chosen } = result;
  const { title, heading, shown = number, off } = onPageOf(measure.kind);
  const columns = Object.keys(cells[0]?.values ?? {});
  const [only] = cells;
  const hasIntervals = only?.low !== undefined;
  return (
    <div class="release-result">
      <p>
        {part === undefined ? '' : `${part}: `}
        {title(measure)}
        {columns.length === 0 && (
          <>
            : <strong>{chosen ?? shown(only?.value ?? 0)}</strong>
          </>
        )}
        <span class="quiet"> {off(result, count)}</span>
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
                  {heading}
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
                  <td class="release-number">{shown(cell.value)}</td>
                  {hasIntervals && <td class="release-number">{intervalOf(cell)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {cells.some(({ value }) => value < 0) && <p class="quiet">{BELOW_ZERO}</p>}
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
        {analyst} paid {costInWords(cost)} for each device-day
        {days > 1 && `, ${costInWords(perDevice)} for a device that reports on all ${days} days`}. Entry {entry.n} of the ledger,{' '}
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
