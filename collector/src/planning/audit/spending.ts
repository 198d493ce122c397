/**
 * Privacy loss by a schema's integers: e^ε of a report, a window and an epoch as exact ratios, compared with the schema's claims. When metrics
 * are assigned at random, a device answers only metrics whose charges fit the budget together. So the budget bounds its window as long as
 * every metric keeps its claim. The assignment is drawn independently of all answers.
 * Reports of a window compose by multiplication (Dwork and Roth 2014, theorem 3.14). A permanent metric's epoch is one charge, since all
 * its reports come from one stored symbol (Erlingsson, Pihur, Korolova 2014, theorem 1).
 */

import { chargesOf, DAYS, lnUp, type MetricDocument, mechanismOf, power, type Ratio, type SchemaDocument } from '@murmuration/shared';
import { type Asked, mostIn } from './history.ts';

/** Decimals of every ε: far more than 32-bit thresholds can resolve. */
const DECIMALS = 12;

/** The days of the longest time for which ε is stated: ten years of 365 days. Ten years of the calendar have two or three days more. */
const LIFE_DAYS: number = 10 * DAYS.year;

/** e^ε, and ε rounded up. */
export interface Spent {
  readonly odds: Ratio;
  readonly epsilon: string;
}

/** Privacy loss of a metric. */
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
  /** ε, rounded up, of the slots that begin in any 30 days, if the metric is answered as often as possible in this version and those before. */
  readonly month: string;
  /** The same of 365 days. */
  readonly year: string;
  /** The same of 3,650 days. */
  readonly life: string;
  /** Only for a permanent metric. */
  readonly epoch?: Spent;
  /** True if neither a report nor an epoch spends more than the schema claims. */
  readonly holds: boolean;
}

/** Privacy loss of a schema. */
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
  /**
   * The most that one device can spend on slots that begin in any 30 days, rounded up: the sum over all metrics, those that only earlier
   * versions asked included, or what as many windows can hold, if that is less.
   */
  readonly month: string;
  /** The same of 365 days. */
  readonly year: string;
  /** The same of 3,650 days. */
  readonly life: string;
  /** The numbers of the versions before this one that `month`, `year` and `life` include. */
  readonly versions: readonly number[];
  /** True if every metric keeps its claim and the window is within the budget; under `assign`, the window of each metric. */
  readonly holds: boolean;
}

const spent = (odds: Ratio): Spent => ({ odds, epsilon: lnUp(odds, DECIMALS) });

/** ε in units of its last decimal. */
const digits = (epsilon: string): bigint => BigInt(epsilon.replace('.', ''));

/** So many units as ε. */
function written(units: bigint, decimals = DECIMALS): string {
  const text = `${units}`.padStart(decimals + 1, '0');
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

/** An ε of all decimals with three, rounded up. */
export const upTo3 = (epsilon: string): string => written((digits(epsilon) + 10n ** 9n - 1n) / 10n ** 9n, 3);

/** A claim in the form in which ε is stated: with the same decimals, rounded up. */
function stated(claim: number): string {
  const text = claim.toFixed(DECIMALS);
  return Number(text) >= claim ? text : written(digits(text) + 1n);
}

/** True if ε is at most a claim, with both rounded up in the same way. */
const within = (epsilon: string, claim: number): boolean => digits(epsilon) <= digits(stated(claim));

/** The product of ratios, which corresponds to the sum of their ε. */
const together = (all: readonly Spent[]): Spent =>
  spent(
    all.reduce(
      (product, { odds }) => ({ numerator: product.numerator * odds.numerator, denominator: product.denominator * odds.denominator }),
      { numerator: 1n, denominator: 1n },
    ),
  );

/** True if a metric has a second slot (or a permanent one a second epoch) in a device's life. */
const comesAgain = ({ every, permanent }: MetricDocument): boolean => (permanent ? permanent.renew !== 'never' : every !== 'once');

/** A metric as versions of the schema ask it. */
const askedIn = (name: string, versions: readonly SchemaDocument[]): readonly Asked[] =>
  versions.flatMap(({ metrics, budget }) => {
    const metric = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
    if (metric === undefined) return [];
    const { report, permanent } = mechanismOf(metric.law).odds(metric.law);
    return [{ metric, per: budget.per, charge: digits(spent(permanent ?? report).epsilon) }];
  });

function metricSpending(
  name: string,
  before: readonly SchemaDocument[],
  { metrics, budget }: SchemaDocument,
  times: number,
): MetricSpending {
  const metric = metrics[name] as MetricDocument;
  const { law, epsilon, permanent } = metric;
  const odds = mechanismOf(law).odds(law);
  const report = spent(odds.report);
  const epoch = odds.permanent && spent(odds.permanent);
  const unit = epoch ?? report;
  const asked = [...askedIn(name, before), { metric, per: budget.per, charge: digits(unit.epsilon) }];
  return {
    metric: name,
    mechanism: law.mechanism,
    report,
    times,
    window: spent(power(unit.odds, times)),
    recorded: spent(power(unit.odds, comesAgain(metric) ? times + 1 : times)),
    month: written(mostIn(asked, DAYS.month)),
    year: written(mostIn(asked, DAYS.year)),
    life: written(mostIn(asked, LIFE_DAYS)),
    ...(epoch && { epoch }),
    holds: within(report.epsilon, epsilon) && (epoch === undefined || within(epoch.epsilon, permanent?.epsilon ?? 0)),
  };
}

/**
 * The most that as many windows as cover the days can hold. Where versions meet, a window holds at most their least budget, which may be
 * more than either version spends. Undefined if one of several versions does not keep its claims, for no budget bounds it then.
 */
function mostInWindows(
  { budget }: SchemaDocument,
  window: string,
  holds: boolean,
  before: readonly SchemaDocument[],
  days: number,
): bigint | undefined {
  if (before.length === 0) return digits(window) * BigInt(Math.ceil(days / DAYS[budget.per]));
  if (!holds || !before.every((version) => spendingOf(version).holds)) return undefined;
  const budgets = [budget, ...before.map((version) => version.budget)];
  const windows = Math.ceil(days / Math.min(...budgets.map(({ per }) => DAYS[per])));
  return digits(stated(Math.max(...budgets.map(({ epsilon }) => epsilon)))) * BigInt(windows);
}

/**
 * Privacy loss by the schema's integers.
 *
 * @param before the versions that devices may have had before it, in that order
 */
export function spendingOf(document: SchemaDocument, before: readonly SchemaDocument[] = []): Spending {
  const { metrics, budget, assign } = document;
  const rows = chargesOf(metrics, budget.per).map(({ metric, times }) => metricSpending(metric, before, document, times));
  const all = together(rows.map(({ window }) => window));
  const each = rows.every(({ holds, window }) => holds && (!assign || within(window.epsilon, budget.epsilon)));
  // A device adds up the claimed charges. If one claim is too low, their sum may be as well.
  const window = assign && each && !within(all.epsilon, budget.epsilon) ? stated(budget.epsilon) : all.epsilon;
  const holds = each && within(window, budget.epsilon);
  const former = [...new Set(before.flatMap((version) => Object.keys(version.metrics)))].filter((name) => !Object.hasOwn(metrics, name));
  const sumIn = (days: number, of: 'month' | 'year' | 'life'): string => {
    const sums = [...rows.map((row) => digits(row[of])), ...former.map((name) => mostIn(askedIn(name, before), days))];
    const sum = sums.reduce((total, each) => total + each, 0n);
    const most = mostInWindows(document, window, holds, before, days);
    return written(most !== undefined && most < sum ? most : sum);
  };
  return {
    metrics: rows,
    all,
    window,
    recorded: together(rows.map(({ recorded }) => recorded)),
    month: sumIn(DAYS.month, 'month'),
    year: sumIn(DAYS.year, 'year'),
    life: sumIn(LIFE_DAYS, 'life'),
    versions: before.map(({ version }) => version),
    holds,
  };
}
