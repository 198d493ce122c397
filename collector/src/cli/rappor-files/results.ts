/** The files that a decode writes: its results, with google/rappor's columns first, and the distribution. */

import { field } from '../../base/csv.ts';
import type { Decoded } from '../../decoding/decode/evidence.ts';

const COLUMNS = 'string,estimate,std_error,proportion,prop_std_error,prop_low_95,prop_high_95,p_value,q_value,reported';

/** Digits of a number. Fewer than a double has, so that the last bits of an exponential, which machines differ in, do not show. */
const DIGITS = 9;

const number = (value: number): string => String(Number(value.toPrecision(DIGITS)));

const clamp = (share: number): number => Math.min(1, Math.max(0, share));

/** Candidates by descending value, equal ones in their own order. */
const descending = (values: Float64Array, chosen: (v: number) => boolean): Uint32Array =>
  Uint32Array.from(values.keys())
    .filter(chosen)
    .sort((a, b) => (values[b] as number) - (values[a] as number) || a - b);

/** The lines of the results: the reported strings, or all candidates, by descending estimate. Interval ends lie in [0, 1]. */
export function* resultLines(names: readonly string[], reports: number, decoded: Decoded, all: boolean): Generator<string> {
  const { estimate, standardError, low, high, pValue, qValue, reported } = decoded;
  yield COLUMNS;
  for (const v of descending(estimate, (v) => all || reported[v] === 1)) {
    const [share, error] = [estimate[v] as number, standardError[v] as number];
    const numbers = [
      reports * share,
      reports * error,
      share,
      error,
      clamp(low[v] as number),
      clamp(high[v] as number),
      pValue[v],
      qValue[v],
    ];
    yield [field(names[v]), ...numbers.map((value) => number(value as number)), reported[v] === 1].join();
  }
}

/** The lines of the distribution: every candidate, by descending frequency. What no candidate explains has no line. */
export function* distributionLines(names: readonly string[], { distribution }: Decoded): Generator<string> {
  yield 'string,frequency';
  for (const v of descending(distribution, () => true)) yield `${field(names[v])},${number(distribution[v] as number)}`;
}
