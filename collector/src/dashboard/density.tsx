// A distribution: a column for each cell, as high as its smoothed share, with the band of that share, and below them the quantiles and the
// mean with their intervals. The band holds on average over the columns; the table of details has shares with intervals of their own.

import type { VNode } from 'preact';
import type { Answer, Distribution } from '../api/shown.ts';
import { bucketInWords, decimalsForValue, ends, endsOfValue, figure, percent } from './format.ts';

const shapeOf = ({ smoothed, estimate }: Answer): number => smoothed ?? Math.max(0, estimate);

/** The ends of a column's band; none where the shares are not smoothed. */
const bandOf = ({ smoothedLow: low, smoothedHigh: high }: Answer): { readonly low: number; readonly high: number } | undefined =>
  low === undefined || high === undefined ? undefined : { low, high };

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
  const highest = Math.max(...answers.map((answer) => bandOf(answer)?.high ?? shapeOf(answer))) || 1;
  const tall = (share: number): string => `${(100 * share) / highest}%`;
  const { mean, quantiles } = distribution;
  const decimals = decimalsForValue(mean);
  return (
    <div class="density">
      <div class="density-columns" role="img" aria-label={`Estimated distribution: ${title}`}>
        {answers.map((answer) => {
          const band = bandOf(answer);
          const said = `${bucketInWords(answer.label)}: ${percent(shapeOf(answer), 1)}${band ? `, band ${ends(band, 1, 'to')}` : ''}`;
          return (
            <span key={answer.label} class="density-column" title={said}>
              <span class="density-bar" style={{ height: tall(shapeOf(answer)) }} />
              {band && <span class="density-band" style={{ bottom: tall(band.low), height: tall(band.high - band.low) }} />}
            </span>
          );
        })}
      </div>
      <p class="density-ends">
        <span>{bucketInWords(answers[0]?.label ?? '')}</span>
        <span>{bucketInWords(answers.at(-1)?.label ?? '')}</span>
      </p>
      {answers.some(bandOf) && (
        <p class="note">The lines on the columns show how far off they may be: 95&nbsp;% of the columns are within them.</p>
      )}
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
