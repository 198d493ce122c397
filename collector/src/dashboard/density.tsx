// A distribution: a column for each cell, as high as the share that is closest to the truth as a whole, and where its
// middle half and its mean lie, with what is sure of them. Columns carry no interval; the table of details has those that do.

import type { VNode } from 'preact';
import { decimalsForValue, figure, percent } from './format.ts';
import type { Answer, Distribution } from './types.ts';

const shapeOf = ({ em, consistent, estimate }: Answer): number => Math.max(0, em ?? consistent ?? estimate);

/** The conclusion in one sentence. */
export function DensityLine({ distribution }: { distribution: Distribution }): VNode | null {
  const median = distribution.quantiles.find(({ level }) => level === 0.5);
  if (!median) return null;
  const decimals = decimalsForValue({ ...median, answer: '', label: '', standardError: 0 });
  return (
    <p class="verdict">
      <strong>Half</strong> lie below a number between {figure(median.low, decimals)} and {figure(median.high, decimals)}.
    </p>
  );
}

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
  const decimals = decimalsForValue({ ...mean, answer: '', label: '', standardError: 0 });
  return (
    <div class="density">
      <div class="density-columns" role="img" aria-label={`Estimated distribution: ${title}`}>
        {answers.map((answer) => (
          <span
            key={answer.label}
            class="density-column"
            style={{ height: `${(100 * shapeOf(answer)) / (highest || 1)}%` }}
            title={`${answer.label}: ${percent(shapeOf(answer), 1)}`}
          />
        ))}
      </div>
      <p class="density-ends">
        <span>{answers[0]?.label}</span>
        <span>{answers.at(-1)?.label}</span>
      </p>
      <dl class="facts">
        <div>
          <dt>mean</dt>
          <dd>
            {figure(mean.estimate, decimals)}, 95&nbsp;% interval {figure(mean.low, decimals)} to {figure(mean.high, decimals)}
          </dd>
        </div>
        {quantiles.map(({ level, estimate, low, high }) => (
          <div key={level}>
            <dt>{percent(level, 0)} lie below</dt>
            <dd>
              {figure(estimate, decimals)}, 95&nbsp;% interval {figure(low, decimals)} to {figure(high, decimals)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
