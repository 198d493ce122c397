/**
 * The privacy budget that a schema can spend. Charges are static: the ε of one report times the number of slots that a window can contain, or ε∞ for a
 * permanent metric, which stays silent for one window between two epochs. The sum of a window is therefore known before the app ships. An
 * honest device never runs out of budget in the middle of a window, so no device is missing for a reason that depends on its answers.
 */

import { type Cadence, DAYS, type Period } from '../calendar.ts';
import type { Permanence } from '../questions/question.ts';

/** The ε that may be spent in any `per` consecutive days. */
export interface Budget {
  readonly epsilon: number;
  readonly per: Period;
}

/** The most that one metric can spend in one window. */
export interface Charge {
  readonly metric: string;
  /** The number of charges in a window: its slots, or one for a permanent metric. */
  readonly times: number;
  /** ε of one report, or of an epoch for a permanent metric. */
  readonly epsilon: number;
  /** ε of a whole window. */
  readonly charge: number;
}

interface Charged {
  readonly epsilon: number;
  readonly every: Cadence;
  readonly permanent?: Permanence;
}

/**
 * The most charges of a metric that `days` consecutive days can contain: slots in which it reports, or epochs from which it does.
 *
 * Two charges that follow each other are G days apart at least: `every` days, and of a permanent metric `per` days of silence. The second
 * begins G days after the *last* report of the first, and M = max(renew, G) days after its first one. The days contain most if the first
 * charge has its last report on day 0, so that it began before them. The second then begins on day G at the earliest, and each further one
 * M days later. Begun by day `days` - 1 are 1 + (1 + floor((days - 1 - G) / M)) = 1 + ceil((days - G) / M). A slot is its own last report,
 * M = G, and the count is ceil(days / G). An epoch that is never renewed is the only one.
 */
export function timesIn({ every, permanent }: Charged, days: number, per: Period): number {
  if (permanent?.renew === 'never') return 1;
  const gap = Math.max(DAYS[every], DAYS[permanent ? per : every]);
  return 1 + Math.ceil((days - gap) / Math.max(gap, DAYS[permanent?.renew ?? every]));
}

/**
 * The days in which a metric spends its ε once: a slot or, of a permanent metric, an epoch, but no less than a window. The silence between
 * two epochs is as long as the window, so it holds one of them.
 */
export const spendingDays = ({ every, permanent }: Pick<Charged, 'every' | 'permanent'>, per: Period): number =>
  permanent ? Math.max(DAYS[permanent.renew], DAYS[per]) : DAYS[every];

/**
 * The ε above which the audit fails, unless it is accepted, and development warns. At 3 one report of a flag is the true answer nineteen
 * times out of twenty. At 8 a month all reports together hide little from anyone who can link them.
 */
export const LARGE_EPSILON = { report: 3, month: 8 } as const;

/** The charges of a schema's metrics, in the metrics' order. */
export function chargesOf(metrics: { readonly [name: string]: Charged }, per: Period): readonly Charge[] {
  return Object.entries(metrics).map(([name, metric]) => {
    const { epsilon } = metric.permanent ?? metric;
    const times = timesIn(metric, DAYS[per], per);
    return { metric: name, times, epsilon, charge: epsilon * times };
  });
}

/**
 * The metrics that a device answers under `assign: 'random'`: it walks its own random order and takes each metric that still fits the
 * budget. The order is drawn independently of all values, so each metric's devices are a random sample of all devices.
 *
 * A metric that a device can't account for is never taken: its charge must be a number above 0, which it is not if a period has no known
 * length (`per: 'quarter'`) or an ε is not a finite number. Comparisons with NaN are always false, so the ledger would find every slot of
 * such a metric free. `defineSchema` therefore asks this of each metric alone, as the only check of a schema in production bundles.
 */
export function assigned(
  order: readonly string[],
  metrics: { readonly [name: string]: Charged },
  { epsilon, per }: Budget,
): readonly string[] {
  const taken: number[] = [];
  return order.filter((name) => {
    const metric = metrics[name]; // undefined if only an older version had it
    const charge = metric && (metric.permanent ?? metric).epsilon * Math.ceil(DAYS[per] / spendingDays(metric, per));
    return charge && charge > 0 && fits([...taken, charge], epsilon) && taken.push(charge);
  });
}

/**
 * A sum of ε that compensates the rounding errors of its additions (Neumaier 1974), so it is as if rounded once. The plain sum of 365 daily
 * charges of 0.86 is off by more than the margin below.
 */
export function sumOf(epsilons: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const epsilon of epsilons) {
    const next = sum + epsilon;
    lost += sum < epsilon ? epsilon - next + sum : sum - next + epsilon;
    sum = next;
  }
  return sum + lost;
}

/**
 * True if charges fit a budget. Each law spends less than its ε by 2^-46 (`expBelow`). Half of that margin allows for ε that have no exact
 * double, so that 0.1 + 0.2 fits 0.3. The other half covers the rounding of the sum, since no ε is above 64. Nothing fits a budget that is
 * not a finite number.
 */
export const fits = (charges: readonly number[], budget: number): boolean =>
  Number.isFinite(budget) && sumOf(charges) <= budget + charges.length * 2 ** -47;

/**
 * Checks that the charges of a schema's metrics fit its budget: all together or, under `assign: 'random'`, each on its own.
 *
 * @throws {RangeError} with the table of charges
 */
export function assertCharges(metrics: { readonly [name: string]: Charged }, { epsilon: most, per }: Budget, assign?: 'random'): void {
  const charges = chargesOf(metrics, per);
  const each = charges.map(({ charge }) => charge);
  if (assign ? each.every((charge) => fits([charge], most)) : fits(each, most)) return;
  const rows = charges.map(({ metric, times, epsilon, charge }) => `\n  ${metric}: ${epsilon} x ${times} = ${charge}`);
  const sum = assign ? '' : `\n  sum: ${sumOf(each)}\n  (assign: 'random' gives each device as many metrics as fit)`;
  throw new RangeError(`budget: expected ${assign ? 'each charge' : 'charges'} of at most ${most} per ${per}, got${rows.join('')}${sum}`);
}
