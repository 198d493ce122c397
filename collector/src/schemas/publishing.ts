/** What a schema changes beside the versions that are published already, and whether it may be published with these changes. */

import type { SchemaDocument } from '@murmuration/shared';
import { wireNameOf } from './canonical.ts';
import { type Change, compareSchemas, nearestTo } from './compare.ts';

export type { Change } from './compare.ts';

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

/** Whether a schema may not be published with these changes. */
export const isRefused = (changes: readonly Change[], accepts: boolean): boolean =>
  changes.some(({ allowed, spends }) => !allowed || (spends !== undefined && !accepts));
