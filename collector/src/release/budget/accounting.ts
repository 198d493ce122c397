/**
 * What has been spent of a budget, and what is left. A charge covers a range of days. The unit of privacy is the device-day, and a device-day
 * lies on one day, so charges of different days compose in parallel and those of one day add up (McSherry 2009, theorems 3 and 4). A budget
 * therefore holds for each day. It adds up ε, or ρ of zero-concentrated differential privacy (Bun and Steinke 2016, lemma 1.7).
 * Both sums hold when analysts choose each question and its ε after seeing earlier answers, since a charge is refused before it exceeds
 * the limit (Rogers, Roth, Ullman, Vadhan 2016; Feldman and Zrnic 2021).
 */

import type { DayRange } from '../../storage/store.ts';
import { type Amount, add, least, minus, most, ZERO } from './amount.ts';

/** What a budget adds up. */
export const UNITS = ['epsilon', 'rho'] as const;
export type Unit = (typeof UNITS)[number];

/** What one device-day may lose at most. */
export interface Limit {
  readonly unit: Unit;
  readonly amount: Amount;
}

/** What an answer costs each device-day of its days. */
export type Cost = { readonly [unit in Unit]: Amount };

/** A charge in the ledger. */
export interface Charge extends DayRange {
  readonly analyst: string;
  readonly cost: Cost;
  /** Charges with the same number are for one stream that analysts share (parties.ts). */
  readonly shared?: number;
}

/** How many analysts may put their answers together. */
export type Colluders = number | 'all';

/** The sums by analyst on each day of a range on which one of them changes, beginning with the first day of the range. */
function* sumsByDay(charges: readonly Charge[], unit: Unit, { from, to }: DayRange): Generator<ReadonlyMap<string, Amount>> {
  const events = new Map<number, { readonly analyst: string; readonly by: Amount }[]>([[from, []]]);
  const put = (day: number, analyst: string, by: Amount): void => {
    const known = events.get(day);
    if (known === undefined) events.set(day, [{ analyst, by }]);
    else known.push({ analyst, by });
  };
  for (const { analyst, cost, ...days } of charges) {
    if (days.to < from || days.from > to) continue;
    put(Math.max(days.from, from), analyst, cost[unit]);
    if (days.to < to) put(days.to + 1, analyst, minus(ZERO, cost[unit]));
  }
  const sums = new Map<string, Amount>();
  for (const [, changes] of [...events].sort(([a], [b]) => a - b)) {
    for (const { analyst, by } of changes) sums.set(analyst, add(sums.get(analyst) ?? ZERO, by));
    yield sums;
  }
}

/** The sum of the largest amounts, so many of them. */
const largest = (amounts: readonly Amount[], colluders: Colluders): Amount =>
  [...amounts]
    .sort((a, b) => Number(minus(b, a).numerator))
    .slice(0, colluders === 'all' ? undefined : colluders)
    .reduce(add, ZERO);

/** What any so many analysts have spent together on the day of a range on which that is most. */
export function spentBy(charges: readonly Charge[], unit: Unit, range: DayRange, colluders: Colluders): Amount {
  let spent = ZERO;
  for (const sums of sumsByDay(charges, unit, range)) spent = most(spent, largest([...sums.values()], colluders));
  return spent;
}

/**
 * What an analyst may still spend on each day of a range without any so many analysts passing the limit together: on the worst of the days,
 * what the analyst and the others that have spent most leave of it. 0 if the limit is passed already.
 */
export function leftFor(
  analyst: string,
  charges: readonly Charge[],
  { unit, amount }: Limit,
  range: DayRange,
  colluders: Colluders,
): Amount {
  let left = amount;
  for (const sums of sumsByDay(charges, unit, range)) {
    const others = [...sums].flatMap(([name, spent]) => (name === analyst ? [] : spent));
    const taken = add(largest(others, colluders === 'all' ? 'all' : colluders - 1), sums.get(analyst) ?? ZERO);
    left = least(left, minus(amount, taken));
  }
  return most(left, ZERO);
}
