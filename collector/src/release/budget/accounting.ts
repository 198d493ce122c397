/**
 * Accounting of a budget: the sum of its charges, and the rest. A charge covers a range of days. The unit of privacy is the device-day, and a device-day
 * lies on one day, so charges of different days compose in parallel and those of one day add up (McSherry 2009, theorems 3 and 4). A budget
 * therefore holds for each day. It adds up ε, or ρ of zero-concentrated differential privacy (Bun and Steinke 2016, lemma 1.7).
 * Both sums hold when analysts choose each question and its ε after seeing earlier answers, since a charge is refused before it exceeds
 * the limit (Rogers, Roth, Ullman, Vadhan 2016; Feldman and Zrnic 2021).
 */

import type { DayRange } from '../../storage/store.ts';
import { type Amount, add, least, minus, most, UNBOUNDED, ZERO } from './amount.ts';

/** Units of a budget. */
export const UNITS = ['epsilon', 'rho'] as const;
export type Unit = (typeof UNITS)[number];

/** Limit on the loss of one device-day. */
export interface Limit {
  readonly unit: Unit;
  readonly amount: Amount;
}

/** Cost of an answer for each device-day of its days. Gaussian noise has no ε. */
export interface Cost {
  readonly epsilon: Amount | undefined;
  readonly rho: Amount;
}

/** The cost in a unit. */
export const amountIn = (cost: Cost, unit: Unit): Amount => cost[unit] ?? UNBOUNDED;

/** A charge in the ledger. */
export interface Charge extends DayRange {
  readonly analyst: string;
  readonly cost: Cost;
  /** Charges with the same number are for one stream that analysts share. */
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
    put(Math.max(days.from, from), analyst, amountIn(cost, unit));
    if (days.to < to) put(days.to + 1, analyst, minus(ZERO, amountIn(cost, unit)));
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

/** Spending of any so many analysts together, on the worst day of a range. */
export function spentBy(charges: readonly Charge[], unit: Unit, range: DayRange, colluders: Colluders): Amount {
  let spent = ZERO;
  for (const sums of sumsByDay(charges, unit, range)) spent = most(spent, largest([...sums.values()], colluders));
  return spent;
}

/**
 * Remaining budget of an analyst on each day of a range without any so many analysts passing the limit together: on the worst of the days,
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

/*
 * Analysts who share a stream of questions count as one. What one of them asks may follow from answers that only this analyst was given, and
 * the others see it: which question it was, and what the stream learned from it. So a stream can pass on what any of its analysts knows.
 * A party is a set of analysts whom streams connect, of any app and at any time.
 *
 * What a party loses: the answers of all its members, and each of its streams once. A stream as a whole is ε-differentially private for
 * every way of choosing its questions, whoever chooses them (streams/streams.ts). So all answers of a party are a sequence of adaptive
 * releases, a stream being one of them, and their costs add up. Any j analysts are members of at most j parties, so what they can know
 * together costs at most what the j parties cost that have spent most. With one party for each analyst this is the sum by analyst.
 */

/** Names of analysts who share something. */
export type Group = readonly string[];

/** The name of each analyst's party, which is that of one of its members. */
export function partiesOf(groups: readonly Group[]): (analyst: string) => string {
  const above = new Map<string, string>();
  const partyOf = (analyst: string): string => {
    let name = analyst;
    for (let next = above.get(name); next !== undefined; next = above.get(name)) name = next;
    return name;
  };
  for (const [first, ...others] of groups) {
    for (const other of first === undefined ? [] : others) {
      const [one, two] = [partyOf(first as string), partyOf(other)];
      if (one !== two) above.set(two, one);
    }
  }
  return partyOf;
}

/** The charges of parties: a charge that several analysts share counts once. */
export function byParty(charges: readonly Charge[], partyOf: (analyst: string) => string): readonly Charge[] {
  const seen = new Set<number>();
  return charges.flatMap((charge) => {
    if (charge.shared !== undefined) {
      if (seen.has(charge.shared)) return [];
      seen.add(charge.shared);
    }
    return { ...charge, analyst: partyOf(charge.analyst) };
  });
}

/** The groups that charges tell of. */
export function groupsOf(charges: readonly Pick<Charge, 'analyst' | 'shared'>[]): readonly Group[] {
  const groups = new Map<number, string[]>();
  for (const { analyst, shared } of charges) {
    if (shared === undefined) continue;
    const group = groups.get(shared);
    if (group === undefined) groups.set(shared, [analyst]);
    else group.push(analyst);
  }
  return [...groups.values()];
}
