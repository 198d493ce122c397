/**
 * What one report can tell at most: the largest P(an answer is the true one | a report), where all answers were equally likely
 * before. Whatever the law, a report is at most e^ε times as likely from one answer as from another, so of k answers that
 * is e^ε / (e^ε + k - 1), by Bayes. Where each report supports m answers alike it is e^ε / (m e^ε + k - m).
 */

import { answersOf, kindOf, type MetricDocument, type Ratio, ratio } from '@murmuration/shared';

/** The largest P(truth | report) from a uniform prior; undefined where answers are not listed one by one. */
export function posteriorOf(metric: MetricDocument, { numerator, denominator }: Ratio): Ratio | undefined {
  const answers = kindOf(metric).atMost ? undefined : answersOf(metric)?.length;
  if (answers === undefined) return undefined;
  const together = BigInt(metric.law.mechanism === 'subset' ? metric.law.subset : 1);
  return ratio(numerator, together * numerator + (BigInt(answers) - together) * denominator);
}

/** A share in percent, rounded up, with so many decimals that it is not rounded up to 100: up to 30. */
export function percent({ numerator, denominator }: Ratio): string {
  for (let decimals = 1; decimals <= 30; decimals++) {
    const unit = 10n ** BigInt(decimals);
    const value = (100n * unit * numerator + denominator - 1n) / denominator;
    if (value < 100n * unit) return `${value / unit}.${`${value % unit}`.padStart(decimals, '0')} %`;
  }
  return '100 %';
}
