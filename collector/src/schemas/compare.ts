/** Compares two versions of a schema: what changed, what devices spend again, and whether deployed devices can move to the new one. */

import {
  type Budget,
  canonicalJson,
  DAYS,
  type Json,
  kindOf,
  labelOf,
  type MetricDocument,
  PERIOD_DAYS,
  type SchemaDocument,
  same,
  sumOf,
} from '@murmuration/shared';
import { wireNameOf } from './catalog.ts';

// `otherwise`, the answer that is sent for no answer, in readable form.

/** The `otherwise` answer in words. */
export function otherwiseInWords(otherwise: Json): string {
  if (typeof otherwise === 'boolean') return otherwise ? 'yes' : 'no';
  if (Array.isArray(otherwise)) return otherwise.length > 0 ? otherwise.join(', ') : 'none of these';
  if (otherwise === '') return 'an empty text';
  return labelOf(otherwise as Parameters<typeof labelOf>[0]);
}

// Finds what a new schema version makes devices spend beyond the total that the old version promised. A changed law of a permanent metric
// begins a new epoch on every device, which spends ε∞ again. The device's ledger compares laws by their canonical JSON.

/** ε that devices may spend beyond the total that the old version promised. */
interface SpentAgain {
  /** The metric; absent for the budget itself. */
  readonly metric?: string;
  /** Per device. For a metric: ε∞ of the new epoch. For the budget: what one window of the old length may now hold. */
  readonly epsilon: number;
  /** The change and its consequence. */
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
function metricSpentAgain(
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

/** Content of one window of the old budget under the new budget, if that is more. */
function budgetSpentAgain(before: Budget, after: Budget): readonly SpentAgain[] {
  const windows = Math.ceil(DAYS[before.per] / DAYS[after.per]);
  const epsilon = sumOf(Array.from({ length: windows }, () => after.epsilon));
  if (epsilon <= before.epsilon) return [];
  const what = `budget: rises from ${before.epsilon} per ${before.per} to ${after.epsilon} per ${after.per}: a ${before.per} may hold ε ${epsilon} where ${before.epsilon} was promised; windows that have begun keep the smaller one`;
  return [{ epsilon, what }];
}

// What a schema changes beside the versions that are published already, and whether it may be published with these changes.

/** Metrics whose report spends more than before. It may fit the budget, and is still more than people were told. */
function raised(before: SchemaDocument, after: SchemaDocument): readonly Change[] {
  return Object.entries(after.metrics).flatMap(([metric, { epsilon }]): readonly Change[] => {
    const old = Object.hasOwn(before.metrics, metric) ? before.metrics[metric] : undefined;
    if (old === undefined || epsilon <= old.epsilon) return [];
    return [{ what: `${metric}: ε ${old.epsilon} -> ${epsilon} a report`, allowed: true, spends: { metric, epsilon } }];
  });
}

/** A schema compared with the published versions of its app before and after it: devices update from and to any of them. */
export function changesBy(document: SchemaDocument, published: readonly SchemaDocument[]): readonly Change[] {
  const versions = published.filter(({ app }) => app === document.app).sort((a, b) => a.version - b.version);
  const same = versions.find(({ version }) => version === document.version);
  if (same !== undefined && wireNameOf(same) !== wireNameOf(document))
    return [{ what: `version: expected a version that is not published yet, got ${wireNameOf(same)} beside it`, allowed: false }];
  const earlier = versions.filter(({ version }) => version < document.version).reverse();
  const later = versions.filter(({ version }) => version > document.version);
  const [before, after] = [nearestTo(document, earlier), nearestTo(document, later)];
  return [
    ...(before === undefined ? [] : [...compareSchemas(before, document), ...raised(before, document)]),
    ...(after === undefined ? [] : [...compareSchemas(document, after), ...raised(document, after)]),
  ];
}

/** True if a schema may not be published with these changes. */
export const isRefused = (changes: readonly Change[], accepts: boolean): boolean =>
  changes.some(({ allowed, spends }) => !allowed || (spends !== undefined && !accepts));

/** One change, in words. */
export interface Change {
  readonly what: string;
  /** True if the data of devices and tallies remains valid. */
  readonly allowed: boolean;
  /**
   * Set when the change makes devices spend more than was promised as a total. Such a change is allowed only when it is confirmed
   * explicitly.
   */
  readonly spends?: Omit<SpentAgain, 'what'>;
}

const spending = ({ what, ...spends }: SpentAgain): Change => ({ what, allowed: true, spends });

/** Answers are append-only: an index must keep its meaning. Each question type defines what that requires (see the table in shared). */
const areAnswersKept = (before: MetricDocument, after: MetricDocument): boolean =>
  before.type === after.type && kindOf(before).keeps(before, after);

const standIn = ({ otherwise }: MetricDocument): string => (otherwise === undefined ? 'nothing' : `"${otherwiseInWords(otherwise)}"`);

function compareMetric(
  name: string,
  before: MetricDocument,
  after: MetricDocument,
  schemas: readonly [SchemaDocument, SchemaDocument],
): Change[] {
  if (!areAnswersKept(before, after)) {
    return [{ what: `${name}: answers are append-only; another question needs another name`, allowed: false }];
  }
  const { otherwise: old, ...rest } = before;
  const { otherwise: fresh, ...others } = after;
  const changes: Change[] = metricSpentAgain(name, before, after, ...schemas).map(spending);
  if (!same(rest, others)) {
    changes.push({ what: `${name}: its law, ε or cadence changed; reports of the two versions are not added up`, allowed: true });
  }
  if (!same(old, fresh)) {
    const change = `${standIn(before)} before and ${standIn(after)} now is reported where nothing was recorded`;
    changes.push({
      what: `${name}: otherwise changed: ${change}; a share means something else, so reports of the two versions are not added up`,
      allowed: true,
    });
  }
  return changes;
}

/**
 * The version to compare a schema with: the nearest of several, and with the schema's metrics that it does not ask, as the next one of them
 * asks them. Devices keep what they have spent on a metric while no version asks it, so taking it out and in again changes nothing.
 *
 * @param versions the nearest first
 */
export function nearestTo({ metrics }: SchemaDocument, versions: readonly SchemaDocument[]): SchemaDocument | undefined {
  const [nearest] = versions;
  if (nearest === undefined) return undefined;
  const known = versions.toReversed().flatMap((version) => Object.entries(version.metrics));
  const asked = known.filter(([name]) => Object.hasOwn(metrics, name));
  return { ...nearest, metrics: { ...Object.fromEntries(asked), ...nearest.metrics } };
}

/** The changes from one schema to the next. */
export function compareSchemas(before: SchemaDocument, after: SchemaDocument): readonly Change[] {
  if (before.app !== after.app) return [{ what: `app: expected ${before.app}, got ${after.app}`, allowed: false }];
  const names = [...new Set([...Object.keys(before.metrics), ...Object.keys(after.metrics)])];
  const changes = names.flatMap((name): Change[] => {
    const [old, fresh] = [before, after].map(({ metrics }) => (Object.hasOwn(metrics, name) ? metrics[name] : undefined));
    if (old === undefined) return [{ what: `${name}: added`, allowed: true }];
    if (fresh === undefined) return [{ what: `${name}: removed`, allowed: true }];
    return compareMetric(name, old, fresh, [before, after]);
  });
  const longer = PERIOD_DAYS[after.budget.per] > PERIOD_DAYS[before.budget.per];
  const effect = longer ? 'devices that have reported wait for a whole new window' : 'windows that have begun keep the smaller one';
  const rise = budgetSpentAgain(before.budget, after.budget).map(spending);
  changes.push(...rise);
  if (rise.length === 0 && !same(before.budget, after.budget)) changes.push({ what: `budget: changed; ${effect}`, allowed: true });
  if (before.assign !== after.assign) {
    const now = after.assign ? 'each device answers a random part of the metrics' : 'each device answers all metrics';
    changes.push({
      what: `assign: changed; ${now}, and reports of the two versions are added up: who is asked is drawn by chance`,
      allowed: true,
    });
  }
  if (before.reports !== after.reports)
    changes.push({ what: `reports: sent ${before.reports} before and ${after.reports} now`, allowed: true });
  if (before.relay !== after.relay) {
    const now = after.relay ? 'reports that no relay brings are refused' : 'who receives reports sees addresses again';
    changes.push({ what: `relay: ${after.relay ? 'required' : 'no longer required'}; ${now}`, allowed: true });
  }
  if (before.together !== after.together) changes.push({ what: 'together: changed', allowed: true });
  if (before.devices !== after.devices) changes.push({ what: 'devices: changed', allowed: true });
  if (!same(before.segments, after.segments)) changes.push({ what: 'segments: changed', allowed: true });
  if (!same(before.about, after.about)) {
    const shown = Object.keys(after.about).filter((name) => after.about[name]?.publish && !before.about[name]?.publish);
    const published = shown.length > 0 ? `; anybody may see ${shown.join(', ')} from now on` : '';
    changes.push({ what: `descriptions, owners, expiry days or what is published changed${published}`, allowed: true });
  }
  const counted = changes.length > (same(before.about, after.about) ? 0 : 1);
  if (counted && after.version <= before.version) {
    changes.push({
      what: `version: expected more than ${before.version} since something counted has changed, got ${after.version}`,
      allowed: false,
    });
  }
  return changes;
}
