/**
 * What a schema's integers spend: e^ε of a report, a window and an epoch as exact ratios, compared with the schema's claims. When metrics
 * are assigned at random, a device answers only metrics whose charges fit the budget together. So the budget bounds its window as long as
 * every metric keeps its claim. The assignment is drawn independently of all answers.
 * Reports of a window compose by multiplication (Dwork and Roth 2014, theorem 3.14). A permanent metric's epoch is one charge, since all
 * its reports come from one stored symbol (Erlingsson, Pihur, Korolova 2014, theorem 1).
 */

import {
  chargeIn,
  chargesOf,
  DAYS,
  lnUp,
  type MetricDocument,
  mechanismOf,
  type Period,
  power,
  type Ratio,
  type SchemaDocument,
} from '@murmuration/shared';

/** Decimals of every ε: far more than 32-bit thresholds can resolve. */
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
  /**
   * Spending in a window of days on which answers are recorded: one more slot if slots recur. The slot of an answer may begin before the
   * window (`otherwise`) or after it (an answer that could be claimed only at the app's next start).
   */
  readonly recorded: Spent;
  /** Spending in 365 days of answering as often as possible. */
  readonly year: Spent;
  /** Only for a permanent metric. */
  readonly epoch?: Spent;
  /** Whether neither a report nor an epoch spends more than the schema claims. */
  readonly holds: boolean;
}

/** What a schema spends. */
export interface Spending {
  readonly metrics: readonly MetricSpending[];
  /** All metrics together, in any window. */
  readonly all: Spent;
  /** The most that one device can spend in any window, rounded up: the ε of all metrics or, under `assign`, the budget if that is less. */
  readonly window: string;
  /**
   * The same for days of recording, with one more slot for each metric whose slots recur. Under `assign`, over all metrics, although a
   * device answers only some.
   */
  readonly recorded: Spent;
  /** Spending in 365 days of answering as often as possible, over all metrics. */
  readonly year: Spent;
  /** Whether every metric keeps its claim and the window is within the budget; under `assign`, the window of each metric. */
  readonly holds: boolean;
}

const spent = (odds: Ratio): Spent => ({ odds, epsilon: lnUp(odds, DECIMALS) });

const digits = (epsilon: string): bigint => BigInt(epsilon.replace('.', ''));

/** A claim in the form in which ε is stated: with the same decimals, rounded up. */
function stated(claim: number): string {
  const text = claim.toFixed(DECIMALS);
  if (Number(text) >= claim) return text;
  const up = `${digits(text) + 1n}`.padStart(DECIMALS + 1, '0');
  return `${up.slice(0, -DECIMALS)}.${up.slice(-DECIMALS)}`;
}

/** Whether ε is at most a claim, with both rounded up in the same way. */
const within = (epsilon: string, claim: number): boolean => digits(epsilon) <= digits(stated(claim));

/** The product of ratios, which corresponds to the sum of their ε. */
const together = (all: readonly Spent[]): Spent =>
  spent(
    all.reduce(
      (product, { odds }) => ({ numerator: product.numerator * odds.numerator, denominator: product.denominator * odds.denominator }),
      { numerator: 1n, denominator: 1n },
    ),
  );

/** Whether a metric has a second slot (or a permanent one a second epoch) in a device's life. */
const comesAgain = ({ every, permanent }: MetricDocument): boolean => (permanent ? permanent.renew !== 'never' : every !== 'once');

function metricSpending(metric: string, document: MetricDocument, times: number, per: Period): MetricSpending {
  const { law, epsilon, permanent } = document;
  const odds = mechanismOf(law).odds(law);
  const report = spent(odds.report);
  const epoch = odds.permanent && spent(odds.permanent);
  const unit = epoch?.odds ?? report.odds;
  const yearly = Math.round(chargeIn(document, DAYS.year, per) / (permanent?.epsilon ?? epsilon));
  return {
    metric,
    mechanism: law.mechanism,
    report,
    times,
    window: spent(power(unit, times)),
    recorded: spent(power(unit, comesAgain(document) ? times + 1 : times)),
    year: spent(power(unit, yearly)),
    ...(epoch && { epoch }),
    holds: within(report.epsilon, epsilon) && (epoch === undefined || within(epoch.epsilon, permanent?.epsilon ?? 0)),
  };
}

/** What the schema's integers spend. */
export function spendingOf({ metrics, budget, assign }: SchemaDocument): Spending {
  const rows = chargesOf(metrics, budget.per).map(({ metric, times }) =>
    metricSpending(metric, metrics[metric] as MetricDocument, times, budget.per),
  );
  const all = together(rows.map(({ window }) => window));
  const each = rows.every(({ holds, window }) => holds && (!assign || within(window.epsilon, budget.epsilon)));
  // A device adds up the claimed charges. If one claim is too low, their sum may be as well.
  const window = assign && each && !within(all.epsilon, budget.epsilon) ? stated(budget.epsilon) : all.epsilon;
  return {
    metrics: rows,
    all,
    window,
    recorded: together(rows.map(({ recorded }) => recorded)),
    year: together(rows.map(({ year }) => year)),
    holds: each && within(window, budget.epsilon),
  };
}
