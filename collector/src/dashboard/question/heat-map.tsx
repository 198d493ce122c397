// The shares of answers to lists that are asked together, as a table whose cells are shaded by their share. Every cell has its share and its
// margin as text, so that the shade adds nothing for those who don't see it.

import type { VNode } from 'preact';
import type { Answer } from '../../api/shown.ts';
import { Key } from '../chart.tsx';
import { decimalsFor, ends, hundredths, margin } from '../format.ts';

/** The answers of a joint question by those to its first list and to its others. */
interface Grid {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly names: readonly [rows: string, columns: string];
  readonly at: (row: string, column: string) => Answer | undefined;
}

/** More columns do not fit beside each other. */
const MOST_COLUMNS = 12;

const inWords = (answer: string | boolean): string => (typeof answer === 'boolean' ? (answer ? 'yes' : 'no') : answer);

/** The table of a joint question; undefined for others, and where both ways are too wide. The longer list is that of the rows. */
export function gridOf(answers: readonly Answer[]): Grid | undefined {
  const cells = answers.flatMap((answer) => {
    const [first, ...others] = typeof answer.answer === 'object' ? Object.entries(answer.answer) : [];
    if (first === undefined || others.length === 0) return [];
    const name = others.map(([each]) => each).join(', ');
    return [
      { answer, names: [first[0], name], row: inWords(first[1]), column: others.map(([, each]) => inWords(each)).join(', ') },
    ] as const;
  });
  const [one] = cells;
  if (one === undefined) return undefined;
  const [rows, columns] = [[...new Set(cells.map(({ row }) => row))], [...new Set(cells.map(({ column }) => column))]];
  if (Math.min(rows.length, columns.length) > MOST_COLUMNS) return undefined;
  const found = new Map(cells.map(({ row, column, answer }) => [JSON.stringify([row, column]), answer]));
  const at = (row: string, column: string): Answer | undefined => found.get(JSON.stringify([row, column]));
  const [ofRows, ofColumns] = one.names as readonly [string, string];
  return rows.length >= columns.length
    ? { rows, columns, names: [ofRows, ofColumns], at }
    : { rows: columns, columns: rows, names: [ofColumns, ofRows], at: (row, column) => at(column, row) };
}

/** The shade of the largest share, beside which text keeps a contrast of 4.5. */
const DARKEST = 0.8;

export function HeatMap({ grid: { rows, columns, names, at }, title }: { grid: Grid; title: string }): VNode {
  const answers = rows.flatMap((row) => columns.flatMap((column) => at(row, column) ?? []));
  const highest = Math.max(...answers.map(({ estimate }) => estimate)) || 1;
  const decimals = decimalsFor(answers);
  return (
    <div class="heat">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="heat-frame" aria-label={`Estimated shares of ${names.join(' with ')}: ${title}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{names[0]}</th>
              {columns.map((column) => (
                <th key={column} scope="col" dir="auto">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row" dir="auto">
                  {row}
                </th>
                {columns.map((column) => (
                  <Cell key={column} answer={at(row, column)} highest={highest} decimals={decimals} name={`${row}, ${column}`} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="legend">
        <span>{names[1]} from left to right; shares of all in %, ± the margin of the 95&nbsp;% interval</span>
        <Key mark="shade" text="from none to the largest share" />
        {answers.some(({ low }) => low <= 0) && <Key mark="open" text="may be zero" />}
      </p>
    </div>
  );
}

/** One share, shaded; hollow while its interval holds zero. */
function Cell({ answer, highest, decimals, name }: { answer: Answer | undefined; highest: number; decimals: number; name: string }): VNode {
  if (answer === undefined) return <td />;
  const { estimate, low } = answer;
  const isOpen = low <= 0;
  const shade = isOpen ? 0 : (DARKEST * Math.max(0, estimate)) / highest;
  return (
    <td class={isOpen ? 'heat-open' : ''} title={`${name}: 95 % interval ${ends(answer, decimals, 'to')}`}>
      <span class="heat-shade" style={{ opacity: `${shade}` }} />
      <span class="heat-share">{hundredths(estimate, decimals)}</span>
      <span class="heat-margin">± {margin(answer, decimals)}</span>
    </td>
  );
}
