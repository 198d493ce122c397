/** The certificate: what a schema's integers spend, so that anybody can recompute it (docs/format.md, section 7). */

import { canonicalSchema, fingerprint, type Law, type MetricDocument, type SchemaDocument, wireName } from '@murmuration/shared';
import { type MetricSpending, type Spending, type Spent, spendingOf } from './spending.ts';

/** e^ε as two whole numbers in decimal, and ε rounded up at 12 decimals. */
interface CertifiedOdds {
  readonly numerator: string;
  readonly denominator: string;
  readonly epsilon: string;
}

/** A certificate as JSON. */
export interface Certificate {
  readonly certificate: 1;
  readonly schema: string;
  readonly fingerprint: string;
  readonly metrics: {
    readonly [metric: string]: {
      readonly law: Law;
      readonly report: CertifiedOdds;
      readonly window: CertifiedOdds & { readonly times: number };
      readonly epoch?: CertifiedOdds;
    };
  };
  readonly window: { readonly epsilon: string; readonly budget: number; readonly per: string };
  readonly holds: boolean;
  readonly document: SchemaDocument;
}

const certified = ({ odds: { numerator, denominator }, epsilon }: Spent): CertifiedOdds => ({
  numerator: `${numerator}`,
  denominator: `${denominator}`,
  epsilon,
});

const row = ({ law }: MetricDocument, { report, window, times, epoch }: MetricSpending): Certificate['metrics'][string] => ({
  law,
  report: certified(report),
  window: { times, ...certified(window) },
  ...(epoch && { epoch: certified(epoch) }),
});

/** The certificate of a schema. */
export async function certificateOf(document: SchemaDocument, spending: Spending = spendingOf(document)): Promise<Certificate> {
  const { metrics, budget } = document;
  return {
    certificate: 1,
    schema: wireName(document),
    fingerprint: await fingerprint(canonicalSchema(document)),
    metrics: Object.fromEntries(spending.metrics.map((each) => [each.metric, row(metrics[each.metric] as MetricDocument, each)])),
    window: { epsilon: spending.window.epsilon, budget: budget.epsilon, per: budget.per },
    holds: spending.holds,
    document,
  };
}
