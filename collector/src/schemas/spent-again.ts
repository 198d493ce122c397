/**
 * Finds what a new schema version makes devices spend beyond the total that the old version promised. A changed law of a permanent metric
 * begins a new epoch on every device, which spends ε∞ again. The device's ledger compares laws by their canonical JSON.
 */

import { type Budget, canonicalJson, DAYS, type Json, type MetricDocument, type SchemaDocument, same, sumOf } from '@murmuration/shared';

/** ε that devices may spend beyond the total that the old version promised. */
export interface SpentAgain {
  /** The metric; absent for the budget itself. */
  readonly metric?: string;
  /** Per device. For a metric: ε∞ of the new epoch. For the budget: what one window of the old length may now hold. */
  readonly epsilon: number;
  /** What changed, and the consequence. */
  readonly what: string;
}

type Tree = { readonly [key: string]: Json | undefined };

const isTree = (value: Json | undefined): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: Json | undefined): string =>
  Array.isArray(value) ? `a list of ${value.length}` : value === undefined ? 'none' : canonicalJson(value);

/** The fields that differ, and how: `law.cohorts 128 -> 8`. */
function differences(before: Tree, after: Tree, path = ''): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): readonly string[] => {
    const [old, fresh] = [before[key], after[key]];
    if (same(old, fresh)) return [];
    if (isTree(old) && isTree(fresh)) return differences(old, fresh, `${path}${key}.`);
    return [`${path}${key} ${shown(old)} -> ${shown(fresh)}`];
  });
}

/** The number of cohorts in a law. Only laws for strings have them, where `devices` determines the number. */
const cohortsOf = ({ law }: MetricDocument): number | undefined => ('cohorts' in law ? law.cohorts : undefined);

/** The extra spending of one metric that is in both versions. */
export function metricSpentAgain(
  metric: string,
  before: MetricDocument,
  after: MetricDocument,
  devices: Pick<SchemaDocument, 'devices'>,
  fresh: Pick<SchemaDocument, 'devices'>,
): readonly SpentAgain[] {
  const { permanent: old } = before;
  const { permanent } = after;
  if (old === undefined) {
    if (before.every !== 'once' || after.every === 'once') return [];
    return [
      {
        metric,
        epsilon: after.epsilon,
        what: `${metric}: asked once before and every ${after.every} now: ε ${after.epsilon} is spent again`,
      },
    ];
  }
  if (permanent === undefined) {
    const what = `${metric}: permanent before and not now: each report spends ε ${after.epsilon} of its own, beside the ε∞ ${old.epsilon} that was promised for all`;
    return [{ metric, epsilon: after.epsilon, what }];
  }
  const { epsilon } = permanent;
  if (!same(before.law, after.law)) {
    const changed = differences(before as unknown as Tree, after as unknown as Tree).join(', ');
    const isFrozen = devices.devices !== fresh.devices && cohortsOf(before) !== cohortsOf(after);
    const frozen = isFrozen
      ? `devices of a shipped permanent metric is frozen (${devices.devices} -> ${fresh.devices} changes its law); `
      : '';
    return [
      { metric, epsilon, what: `${metric}: ${frozen}a new epoch begins on every device, and ε∞ ${epsilon} is spent again: ${changed}` },
    ];
  }
  if (DAYS[permanent.renew] < DAYS[old.renew]) {
    const what = `${metric}: renew ${old.renew} -> ${permanent.renew}: epochs end sooner, and each next one spends ε∞ ${epsilon} again`;
    return [{ metric, epsilon, what }];
  }
  if (epsilon > old.epsilon) return [{ metric, epsilon, what: `${metric}: ε∞ ${old.epsilon} -> ${epsilon}: more than was promised` }];
  return [];
}

/** What one window of the old budget may hold under the new budget, if that is more. */
export function budgetSpentAgain(before: Budget, after: Budget): readonly SpentAgain[] {
  const windows = Math.ceil(DAYS[before.per] / DAYS[after.per]);
  const epsilon = sumOf(Array.from({ length: windows }, () => after.epsilon));
  if (epsilon <= before.epsilon) return [];
  const what = `budget: rises from ${before.epsilon} per ${before.per} to ${after.epsilon} per ${after.per}: a ${before.per} may hold ε ${epsilon} where ${before.epsilon} was promised; windows that have begun keep the smaller one`;
  return [{ epsilon, what }];
}
