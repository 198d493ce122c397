/** What changed between two versions of a schema, and whether devices in the field survive it. */

import { canonicalJson, type Json, type MetricDocument, PERIOD_DAYS, type SchemaDocument } from '@murmuration/shared';

/** One change, in words. */
export interface Change {
  readonly what: string;
  readonly allowed: boolean;
}

const same = (a: unknown, b: unknown): boolean => canonicalJson((a ?? null) as Json) === canonicalJson((b ?? null) as Json);

/** Answers are append-only: an index must go on meaning what it meant. */
function answersKept(before: MetricDocument, after: MetricDocument): boolean {
  if (before.type !== after.type) return false;
  if (before.type === 'choice' && after.type === 'choice') return same(before.answers, after.answers.slice(0, before.answers.length));
  if (before.type === 'choices' && after.type === 'choices') return same(before.answers, after.answers.slice(0, before.answers.length));
  if (before.type === 'best' && after.type === 'best') return same(before.inputs, after.inputs.slice(0, before.inputs.length));
  if (before.type === 'histogram' && after.type === 'histogram') return same(before.edges, after.edges);
  if (before.type === 'mean' && after.type === 'mean') return same(before.range, after.range);
  if (before.type === 'distribution' && after.type === 'distribution') {
    return same([before.range, before.cells], [after.range, after.cells]);
  }
  if (before.type === 'count' && after.type === 'count') return same(before.max, after.max);
  return before.type !== 'joint' || after.type !== 'joint' || same(before.questions, after.questions);
}

function compareMetric(name: string, before: MetricDocument, after: MetricDocument): Change[] {
  if (same(before, after)) return [];
  if (!answersKept(before, after)) {
    return [{ what: `${name}: answers are append-only; another question needs another name`, allowed: false }];
  }
  return [{ what: `${name}: its law, ε or cadence changed; reports of the two versions are not added up`, allowed: true }];
}

/** The changes from one schema to the next. */
export function compareSchemas(before: SchemaDocument, after: SchemaDocument): readonly Change[] {
  if (before.app !== after.app) return [{ what: `app: expected ${before.app}, got ${after.app}`, allowed: false }];
  const names = [...new Set([...Object.keys(before.metrics), ...Object.keys(after.metrics)])];
  const changes = names.flatMap((name): Change[] => {
    const [old, fresh] = [before.metrics[name], after.metrics[name]];
    if (old === undefined) return [{ what: `${name}: added`, allowed: true }];
    if (fresh === undefined) return [{ what: `${name}: removed`, allowed: true }];
    return compareMetric(name, old, fresh);
  });
  const longer = PERIOD_DAYS[after.budget.per] > PERIOD_DAYS[before.budget.per];
  const effect = longer ? 'devices that have reported wait for a whole new window' : 'windows that have begun keep the smaller one';
  if (!same(before.budget, after.budget)) changes.push({ what: `budget: changed; ${effect}`, allowed: true });
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
