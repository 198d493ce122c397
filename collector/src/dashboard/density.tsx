// A distribution: a column for each cell, as high as its smoothed share, with the positions of its middle half and its
// mean and their intervals. Columns have no intervals; the table of details has shares that do.

import type { VNode } from 'preact';
import type { Answer, Distribution } from '../api/shown.ts';
import { bucketInWords, decimalsForValue, endsOfValue, figure, percent } from './format.ts';

const shapeOf = ({ smoothed, estimate }: Answer): number => smoothed ?? Math.max(0, estimate);

/** The columns. */
export function Density({
  answers,
  distribution,
  title,
}: {
  answers: readonly Answer[];
  distribution: Distribution;
  title: string;
}): VNode {
  const highest = Math.max(...answers.map(shapeOf));
  const { mean, quantiles } = distribution;
  const decimals = decimalsForValue(mean);
  return (
    <div class="density">
      <div class="density-columns" role="img" aria-label={`Estimated distribution: ${title}`}>
        {answers.map((answer) => (
          <span
            key={answer.label}
            class="density-column"
            style={{ height: `${(100 * shapeOf(answer)) / (highest || 1)}%` }}
            title={`${bucketInWords(answer.label)}: ${percent(shapeOf(answer), 1)}`}
          />
        ))}
      </div>
      <p class="density-ends">
        <span>{bucketInWords(answers[0]?.label ?? '')}</span>
        <span>{bucketInWords(answers.at(-1)?.label ?? '')}</span>
      </p>
      <dl class="facts">
        <div>
          <dt>mean</dt>
          <dd>
            {figure(mean.estimate, decimals)}, 95&nbsp;% interval {endsOfValue(mean, decimals, 'to')}
          </dd>
        </div>
        {quantiles.map((quantile) => (
          <div key={quantile.level}>
            <dt>{percent(quantile.level, 0)} lie below</dt>
            <dd>
              {figure(quantile.estimate, decimals)}, 95&nbsp;% interval {endsOfValue(quantile, decimals, 'to')}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
