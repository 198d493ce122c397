/** Gains of a relay: the ε that reports have in the crowd (docs/shuffle.md), and the error of a local question of that ε. */

import { amplification, type SchemaDocument } from '@murmuration/shared';
import { marginAt } from '../../estimation/precision.ts';
import { lawsAt } from './law-at.ts';
import type { MetricPlan } from './plan.ts';

/** A metric through a relay. */
export interface Relayed {
  readonly metric: string;
  /** ε of a report, whoever knows its sender. */
  readonly epsilon: number;
  /** ε of a report whose sender nobody knows, rounded up. */
  readonly shuffled: number;
  /** How many times as wide the margin of a local question of the shuffled ε would be; null where no law of that ε is known. */
  readonly wider: number | null;
}

/** The gains, for one report of each of the plan's users. Permanent metrics have none, and are left out. */
export function relayedOf(schema: SchemaDocument, plans: readonly MetricPlan[], share: number, delta: number): readonly Relayed[] {
  return plans.flatMap(({ metric, epsilon, reports, margin95 }) => {
    const document = schema.metrics[metric];
    if (document === undefined || document.permanent) return [];
    const shuffled = amplification(document.law, reports).epsilon(delta);
    const law = lawsAt(document, schema.devices)(shuffled);
    return [{ metric, epsilon, shuffled, wider: law === undefined ? null : marginAt(law, reports, share) / margin95 }];
  });
}
