// All data about a metric's answers as a table to read, select and copy, and explanations of its tags.
// It is rendered when it is opened.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Estimates, Metric } from '../api/shown.ts';
import { Fact, Facts } from './facts.tsx';
import { decimalsFor, decimalsForValue, figure, hundredths, percent, type Rounding } from './format.ts';
import { inOrder, keyOf, labelOf } from './order.ts';

interface DetailsProps {
  readonly metric: Metric;
  readonly estimates: Estimates;
  readonly address: string;
}

export function Details({ metric, estimates, address }: DetailsProps): VNode {
  return (
    <Folded>
      {() => (
        <>
          <AnswerTable estimates={estimates} metric={metric} />
          <Facts metric={metric} answer={estimates} among={estimates.among} address={address}>
            {isOutside(estimates) && (
              <Fact word="below 0&nbsp;% or above 100&nbsp;%">
                The noise that is expected has been taken out of every estimate. The noise that came differs a little, so an estimate can
                lie outside what is possible. Read it as nearly none, or nearly all.
              </Fact>
            )}
          </Facts>
        </>
      )}
    </Folded>
  );
}

/** Whether a share cannot be as it is estimated. */
const isOutside = ({ answers, unit }: Estimates): boolean =>
  unit !== 'value' && answers.some(({ estimate }) => estimate < 0 || estimate > 1);

/** What is rendered when it is opened. */
export function Folded({ children }: { children: () => VNode }): VNode {
  const [open, setOpen] = useState(false);
  return (
    <details class="details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Details</summary>
      {open && children()}
    </details>
  );
}

function AnswerTable({ estimates, metric }: { estimates: Estimates; metric: Metric }): VNode {
  const { answers, unit } = estimates;
  const decimals = (unit === 'value' ? Math.max(...answers.map(decimalsForValue)) : decimalsFor(answers)) + 1;
  /** With the sign of a share, and without. */
  const whole = (value: number, round?: Rounding): string => (unit === 'value' ? figure : percent)(value, decimals, round);
  const bare = (value: number, round?: Rounding): string => (unit === 'value' ? figure : hundredths)(value, decimals, round);
  const truth = answers.some((answer) => answer.truth !== undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-frame" aria-label={`Answers to ${metric.metric} as a table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Answer</th>
            <th scope="col">Estimate</th>
            <th scope="col">Standard error</th>
            <th scope="col">95&nbsp;% interval</th>
            {truth && <th scope="col">{unit === 'value' ? 'True mean of the reports (demo)' : 'True share of the reports (demo)'}</th>}
          </tr>
        </thead>
        <tbody>
          {inOrder(answers, metric.type).map((answer) => (
            <tr key={keyOf(answer)}>
              <th scope="row" dir="auto">
                {labelOf(answer, metric.type)}
              </th>
              <td>{whole(answer.estimate)}</td>
              <td>{bare(answer.standardError, Math.ceil)}</td>
              <td>
                {bare(answer.low, Math.floor)} to {whole(answer.high, Math.ceil)}
              </td>
              {truth && <td>{answer.truth === undefined ? '' : whole(answer.truth)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
