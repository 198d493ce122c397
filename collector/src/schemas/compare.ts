/** Compares two versions of a schema: what changed, and whether deployed devices can move from one to the other. */

import { kindOf, type MetricDocument, PERIOD_DAYS, type SchemaDocument, same } from '@murmuration/shared';
import { inWords } from './otherwise.ts';
import { budgetSpentAgain, metricSpentAgain, type SpentAgain } from './spent-again.ts';

/** One change, in words. */
export interface Change {
  readonly what: string;
  /** Whether the data of devices and tallies remains valid. */
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

const standIn = ({ otherwise }: MetricDocument): string => (otherwise === undefined ? 'nothing' : `"${inWords(otherwise)}"`);

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
  if (before.devices !== after.devices) changes.push({ what: 'devices: changed', allowed: true });
  if (!same(before.segments, after.segments)) changes.push({ what: 'segments: changed', allowed: true });
  if (!same(before.about, after.about)) changes.push({ what: 'descriptions, owners or expiry days changed', allowed: true });
  const counted = changes.length > (same(before.about, after.about) ? 0 : 1);
  if (counted && after.version <= before.version) {
    changes.push({
      what: `version: expected more than ${before.version} since something counted has changed, got ${after.version}`,
      allowed: false,
    });
  }
  return changes;
}
