// Everything that is known of a metric's answers as a table to read, select and copy, and what its tags mean.
// It is built when it is opened.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { explain } from './explain.ts';
import { decimalsFor, hundredths, percent } from './format.ts';
import { inOrder, keyOf, labelOf } from './order.ts';
import type { Answer, Metric } from './types.ts';

interface DetailsProps {
  readonly metric: Metric;
  readonly answers: readonly Answer[];
  readonly address: string;
}

export function Details(props: DetailsProps): VNode {
  const [open, setOpen] = useState(false);
  return (
    <details class="details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Details</summary>
      {open && <Opened {...props} />}
    </details>
  );
}

function Opened({ metric, answers, address }: DetailsProps): VNode {
  return (
    <>
      <AnswerTable answers={answers} metric={metric} />
      <dl class="facts">
        {explain(metric).map(({ word, meaning }) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
        {metric.expires && (
          <div>
            <dt>expires</dt>
            <dd>The question is asked until {metric.expires}.</dd>
          </div>
        )}
      </dl>
      <p class="note">
        {metric.app}, version {metric.version}. <a href={address}>The same as JSON</a>
      </p>
    </>
  );
}

function AnswerTable({ answers, metric }: { answers: readonly Answer[]; metric: Metric }): VNode {
  const decimals = decimalsFor(answers) + 1;
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
            {truth && <th scope="col">True share (demo)</th>}
          </tr>
        </thead>
        <tbody>
          {inOrder(answers, metric.type).map((answer) => (
            <tr key={keyOf(answer)}>
              <th scope="row" dir="auto">
                {labelOf(answer, metric.type)}
              </th>
              <td>{percent(answer.estimate, decimals)}</td>
              <td>{hundredths(answer.standardError, decimals)}</td>
              <td>
                {hundredths(answer.low, decimals)} to {percent(answer.high, decimals)}
              </td>
              {truth && <td>{answer.truth === undefined ? '' : percent(answer.truth, decimals)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
