/**
 * Privacy loss of a metric over a long time while versions of its schema replace each other. The ledger's key is the metric: a version finds
 * the slots and the epoch that an older one took, opens the next slot by its own `every`, and begins an epoch of its own if its law is
 * another (docs/ledger.md, "Several versions"). So the days on which versions change matter, and the most is taken over all of them.
 */

import { canonicalJson, DAYS, type Json, type MetricDocument, type Period, timesIn } from '@murmuration/shared';

/** A metric in one version of the schema. */
export interface Asked {
  readonly metric: MetricDocument;
  readonly per: Period;
  /** ε of one charge, in units of the last decimal of every ε. */
  readonly charge: bigint;
}

const lawText = ({ metric: { law } }: Asked): string => canonicalJson(law as unknown as Json);

/** The days from a charge to the next one, at least. The first charge of a time may be that of an epoch which began before it (`timesIn`). */
function daysBetween(before: Asked, { metric: { every, permanent }, per }: Asked, isSame: boolean, isFirst: boolean): number {
  const gap = Math.max(DAYS[every], permanent ? DAYS[per] : 0);
  if (!permanent || !before.metric.permanent || !isSame) return gap;
  return isFirst && permanent.renew !== 'never' ? gap : Math.max(gap, DAYS[permanent.renew]);
}

/**
 * The most that a metric spends in `days` consecutive days, over all days on which its versions may follow each other.
 *
 * @param versions those that ask the metric, in the order in which devices have them
 */
export function mostIn(versions: readonly Asked[], days: number): bigint {
  const [only] = versions;
  if (only !== undefined && versions.length === 1) return only.charge * BigInt(timesIn(only.metric, days, only.per));
  const laws = versions.map(lawText);
  // By the day and the version of the latest charge. A charge as early as possible leaves the most days for those that follow.
  const spent = Array.from({ length: days }, (): (bigint | undefined)[] => []);
  spent[0] = versions.map(({ charge }) => charge);
  let most = 0n;
  for (const [day, by] of spent.entries()) {
    for (const [i, before] of versions.entries()) {
      const sum = by[i];
      if (sum === undefined) continue;
      if (sum > most) most = sum;
      for (let j = i; j < versions.length; j++) {
        const after = versions[j] as Asked;
        const next = spent[day + daysBetween(before, after, laws[i] === laws[j], day === 0)];
        const more = sum + after.charge;
        if (next !== undefined && more > (next[j] ?? 0n)) next[j] = more;
      }
    }
  }
  return most;
}
