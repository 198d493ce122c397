/** The certificate: what a schema's integers spend, in a form that anybody can recompute (docs/format.md, section 7). */

import { canonicalSchema, fingerprint, type Law, type MetricDocument, type SchemaDocument, wireName } from '@murmuration/shared';
import { type MetricSpending, type Spending, type Spent, spendingOf } from './spending.ts';

/** e^ε as a ratio of two integers in decimal, and ε rounded up to 12 decimals. */
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
  /** Under `assign`, ε is the budget if all metrics together would spend more, because the metrics of one device fit it. */
  readonly window: { readonly epsilon: string; readonly budget: number; readonly per: string; readonly assign?: 'random' };
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

/** ε that one device spends in any window, and the budget that limits it. */
export const windowOf = ({ budget, assign }: SchemaDocument, { window }: Spending): Certificate['window'] => ({
  epsilon: window,
  budget: budget.epsilon,
  per: budget.per,
  ...(assign && { assign }),
});

/** The certificate of a schema. */
export async function certificateOf(document: SchemaDocument, spending: Spending = spendingOf(document)): Promise<Certificate> {
  const { metrics } = document;
  return {
    certificate: 1,
    schema: wireName(document),
    fingerprint: await fingerprint(canonicalSchema(document)),
    metrics: Object.fromEntries(spending.metrics.map((each) => [each.metric, row(metrics[each.metric] as MetricDocument, each)])),
    window: windowOf(document, spending),
    holds: spending.holds,
    document,
  };
}
