/**
 * What a schema can spend. Charges are static: one report's ε times the slots that a window can hold, or ε∞ for a
 * permanent metric, which stays silent for one window between two epochs. So a window's sum is known before shipping,
 * an honest device never runs out in the middle of one, and nobody is missing for a reason.
 */

import { type Cadence, DAYS, type Period } from '../calendar.ts';
import type { Permanence } from '../questions/question.ts';

/** ε that may be spent in any `per` consecutive days. */
export interface Budget {
  readonly epsilon: number;
  readonly per: Period;
}

/** What one metric can spend in one window. */
export interface Charge {
  readonly metric: string;
  /** How often it is charged in a window: its slots, or once for a permanent metric. */
  readonly times: number;
  /** ε of one report, or of an epoch. */
  readonly epsilon: number;
  /** ε of a window. */
  readonly charge: number;
}

interface Charged {
  readonly epsilon: number;
  readonly every: Cadence;
  readonly permanent?: Permanence;
}

/** How many slots, `every` days apart or more, can lie in one window: the first on its first day. */
export const slotsPerWindow = (every: Cadence, per: Period): number => Math.ceil(DAYS[per] / DAYS[every]);

/**
 * What a metric can spend in so many days of answering whenever it can. Epochs of a permanent metric begin no sooner after
 * each other than `renew`, nor than the silent window.
 */
export const chargeIn = ({ epsilon, every, permanent }: Charged, days: number, per: Period): number =>
  (permanent ?? { epsilon }).epsilon * Math.ceil(days / (permanent ? Math.max(DAYS[permanent.renew], DAYS[per]) : DAYS[every]));

/**
 * Whether a device can keep count of a metric: its charge is a number above 0 that fits the budget alone. It is not where a
 * period has no known length (`per: 'quarter'`) or an ε is no finite number. Comparisons with NaN are all false, so a ledger
 * that counted such a metric would find every slot free. Production bundles hold no other check of a schema.
 */
export function isChargeable(metric: Charged, { epsilon, per }: Budget): boolean {
  const charge = chargeIn(metric, DAYS[per], per);
  return charge > 0 && fits([charge], epsilon);
}

/** The charges of a schema's metrics, in their order. */
export function chargesOf(metrics: { readonly [name: string]: Charged }, per: Period): readonly Charge[] {
  return Object.entries(metrics).map(([name, metric]) => {
    const { epsilon } = metric.permanent ?? metric;
    const charge = chargeIn(metric, DAYS[per], per);
    return { metric: name, times: metric.permanent ? 1 : slotsPerWindow(metric.every, per), epsilon, charge };
  });
}

/**
 * The metrics that a device answers under `assign: 'random'`: those of its own random order that still fit the budget. The
 * order is drawn without looking at a value, so every metric's devices are a random sample of all.
 */
export function assigned(
  order: readonly string[],
  metrics: { readonly [name: string]: Charged },
  { epsilon, per }: Budget,
): readonly string[] {
  const taken: number[] = [];
  return order.filter((name) => {
    const metric = metrics[name]; // none where it was an older version's
    const charge = metric && chargeIn(metric, DAYS[per], per);
    return charge && fits([...taken, charge], epsilon) && taken.push(charge);
  });
}

/**
 * A sum of ε, with the roundings of its additions added back (Neumaier 1974): as if rounded once. A year of daily 0.86,
 * added up plainly, is off by more than the margin below.
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
 * Whether charges fit a budget. Each law spends less than its ε by 2^-46 (`expBelow`): half of that allows for ε that
 * have no exact double, so that 0.1 + 0.2 fits 0.3, and half for the rounding of the sum, since no ε is above 64. Nothing
 * fits a budget that is no finite number.
 */
export const fits = (charges: readonly number[], budget: number): boolean =>
  Number.isFinite(budget) && sumOf(charges) <= budget + charges.length * 2 ** -47;

/**
 * Checks that the charges of a schema's metrics fit its budget: all together or, under `assign: 'random'`, each alone.
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
