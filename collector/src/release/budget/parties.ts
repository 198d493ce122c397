/**
 * Analysts who share a stream of questions count as one. What one of them asks may follow from answers that only this analyst was given, and
 * the others see it: which question it was, and what the stream learned from it. So a stream can pass on what any of its analysts knows.
 * A party is a set of analysts whom streams connect, of any app and at any time.
 *
 * What a party loses: the answers of all its members, and each of its streams once. A stream as a whole is ε-differentially private for
 * every way of choosing its questions, whoever chooses them (streams/streams.ts). So all answers of a party are a sequence of adaptive
 * releases, a stream being one of them, and their costs add up. Any j analysts are members of at most j parties, so what they can know
 * together costs at most what the j parties cost that have spent most. With one party for each analyst this is the sum by analyst.
 */

import type { Charge } from './accounting.ts';

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
