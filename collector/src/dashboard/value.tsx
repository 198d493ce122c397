// A metric that is one number: its mean, with its interval, instead of bars of shares.
// The large figure and the sentence both include the interval, so either may be quoted alone.

import type { VNode } from 'preact';
import type { Answer } from '../api/shown.ts';
import { decimalsForValue, figure, marginOfValue, valueInWords } from './format.ts';

/** The conclusion in one sentence. */
export function ValueLine({ answer, range, unit }: { answer: Answer; range: readonly [number, number]; unit: string | undefined }): VNode {
  return (
    <p class="verdict">
      <strong>On average</strong> {valueInWords(answer, range, decimalsForValue(answer))}
      {unit && ` ${unit}`}.
    </p>
  );
}

/** The number itself. */
export function Value({ answer, unit, title }: { answer: Answer; unit: string | undefined; title: string }): VNode {
  const decimals = decimalsForValue(answer);
  const { estimate, truth } = answer;
  return (
    <p class="value" title={`Estimated mean with its 95 % interval: ${title}`}>
      <span class="value-estimate">{figure(estimate, decimals)}</span>
      <span class="value-margin">
        {' '}
        ± {marginOfValue(answer, decimals)}
        {unit && ` ${unit}`}
      </span>
      <span class="value-note">
        estimated mean, 95&nbsp;% interval
        {truth !== undefined && `; true mean of the reports (demo only) ${figure(truth, decimals)}`}
      </span>
    </p>
  );
}
