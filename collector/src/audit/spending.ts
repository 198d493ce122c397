/**
 * What a schema's integers spend: e^ε of a report, a window and an epoch as exact ratios, beside what the schema claims.
 * Where metrics are assigned at random, a device answers only some whose charges fit the budget together, so the budget bounds
 * its window as long as every metric keeps its claim; which metrics they are is drawn without a look at any answer.
 * Reports of a window compose by multiplication (Dwork and Roth 2014, theorem 3.14); a permanent metric's epoch is one
 * charge, since all its reports come from one stored symbol (Erlingsson, Pihur, Korolova 2014, theorem 1).
 */

import { chargesOf, lnUp, type MetricDocument, mechanismOf, power, type Ratio, type SchemaDocument } from '@murmuration/shared';

/** Decimals of every ε: far more than 32-bit thresholds tell apart. */
const DECIMALS = 12;

/** e^ε, and ε rounded up. */
export interface Spent {
  readonly odds: Ratio;
  readonly epsilon: string;
}

/** What a metric spends. */
export interface MetricSpending {
  readonly metric: string;
  readonly mechanism: string;
  readonly report: Spent;
  /** How often it is charged in a window: once for a permanent metric. */
  readonly times: number;
  readonly window: Spent;
  /** Of a permanent metric. */
  readonly epoch?: Spent;
  /** Neither a report nor an epoch spends more than the schema says. */
  readonly holds: boolean;
}

/** What a schema spends. */
export interface Spending {
  readonly metrics: readonly MetricSpending[];
  /** All metrics together, in any window. */
  readonly all: Spent;
  /** What one device can spend in any window, rounded up: the ε of all metrics or, under `assign`, the budget where that is less. */
  readonly window: string;
  /** Every metric holds, and the window is within the budget: under `assign`, each metric's window. */
  readonly holds: boolean;
}

const spent = (odds: Ratio): Spent => ({ odds, epsilon: lnUp(odds, DECIMALS) });

const digits = (epsilon: string): bigint => BigInt(epsilon.replace('.', ''));

/** A claim as ε is stated: at so many decimals, rounded up. */
function stated(claim: number): string {
  const text = claim.toFixed(DECIMALS);
  if (Number(text) >= claim) return text;
  const up = `${digits(text) + 1n}`.padStart(DECIMALS + 1, '0');
  return `${up.slice(0, -DECIMALS)}.${up.slice(-DECIMALS)}`;
}

/** Whether ε is at most a claim, both rounded up alike. */
const within = (epsilon: string, claim: number): boolean => digits(epsilon) <= digits(stated(claim));

function metricSpending(metric: string, { law, epsilon, permanent }: MetricDocument, times: number): MetricSpending {
  const odds = mechanismOf(law).odds(law);
  const report = spent(odds.report);
  const epoch = odds.permanent && spent(odds.permanent);
  return {
    metric,
    mechanism: law.mechanism,
    report,
    times,
    window: spent(power(epoch?.odds ?? report.odds, times)),
    ...(epoch && { epoch }),
    holds: within(report.epsilon, epsilon) && (epoch === undefined || within(epoch.epsilon, permanent?.epsilon ?? 0)),
  };
}

/** What the schema's integers spend. */
export function spendingOf({ metrics, budget, assign }: SchemaDocument): Spending {
  const rows = chargesOf(metrics, budget.per).map(({ metric, times }) => metricSpending(metric, metrics[metric] as MetricDocument, times));
  const product = rows.reduce(
    (all, { window: { odds } }) => ({ numerator: all.numerator * odds.numerator, denominator: all.denominator * odds.denominator }),
    { numerator: 1n, denominator: 1n },
  );
  const all = spent(product);
  const each = rows.every(({ holds, window }) => holds && (!assign || within(window.epsilon, budget.epsilon)));
  // A device adds up the charges that are claimed: where one is exceeded, so may be their sum.
  const window = assign && each && !within(all.epsilon, budget.epsilon) ? stated(budget.epsilon) : all.epsilon;
  return { metrics: rows, all, window, holds: each && within(window, budget.epsilon) };
}
