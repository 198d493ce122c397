/**
 * The most that one report can reveal: the largest P(an answer is the true one | a report), when all answers were equally likely before.
 * Under any law, a report is at most e^ε times as likely from one answer as from another. So with k answers the bound is e^ε / (e^ε + k -
 * 1), by Bayes. If each report supports m answers equally, it is e^ε / (m e^ε + k - m).
 */

import { answersOf, kindOf, type MetricDocument, type Ratio, ratio } from '@murmuration/shared';

/** The largest P(truth | report) from a uniform prior; undefined where answers are not listed one by one. */
export function posteriorOf(metric: MetricDocument, { numerator, denominator }: Ratio): Ratio | undefined {
  const answers = kindOf(metric).atMost ? undefined : answersOf(metric)?.length;
  if (answers === undefined) return undefined;
  const together = BigInt(metric.law.mechanism === 'subset' ? metric.law.subset : 1);
  return ratio(numerator, together * numerator + (BigInt(answers) - together) * denominator);
}

/** A share in percent, rounded up. Uses as many decimals as needed (up to 30) to avoid rounding up to 100. */
export function percent({ numerator, denominator }: Ratio): string {
  for (let decimals = 1; decimals <= 30; decimals++) {
    const unit = 10n ** BigInt(decimals);
    const value = (100n * unit * numerator + denominator - 1n) / denominator;
    if (value < 100n * unit) return `${value / unit}.${`${value % unit}`.padStart(decimals, '0')} %`;
  }
  return '100 %';
}
