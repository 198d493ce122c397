/** The audit of a schema as one JSON document: what its exact integers spend, beside what is claimed, and the privacy statement. */

import { canonicalSchema, fingerprint, type MetricDocument, type SchemaDocument, wireName } from '@murmuration/shared';
import { shiftOf } from '../../estimation/watch/watch.ts';
import { windowOf } from './certificate.ts';
import { combinationsOf, type Linkability, linkabilityOf } from './linkability.ts';
import { percent, posteriorOf } from './posterior.ts';
import { type MetricSpending, type Spending, spendingOf } from './spending.ts';
import { statementOf } from './statement.ts';
import { warningsOf } from './warnings.ts';

const epsilons = (
  document: SchemaDocument,
  { metric, mechanism, report, times, window, recorded, month, year, life, epoch, holds }: MetricSpending,
): MetricAudit => {
  const question = document.metrics[metric] as MetricDocument;
  const { epsilon, permanent } = question;
  const posterior = posteriorOf(question, report.odds);
  const epochPosterior = epoch && posteriorOf(question, epoch.odds);
  return {
    metric,
    mechanism,
    claimed: { report: epsilon, ...(permanent && { epoch: permanent.epsilon }) },
    leveragePerPercent: shiftOf(question.law, 0.01) ?? null,
    epsilon: {
      report: report.epsilon,
      window: window.epsilon,
      recorded: recorded.epsilon,
      month,
      year,
      life,
      ...(epoch && { epoch: epoch.epsilon }),
    },
    ...(posterior && { posterior: { report: percent(posterior), ...(epochPosterior && { epoch: percent(epochPosterior) }) } }),
    times,
    holds,
  };
};

/** Audit of a metric. */
interface MetricAudit {
  readonly metric: string;
  readonly epsilon: { readonly report: string; readonly [time: string]: string };
  readonly [key: string]: unknown;
}

/** An audit. ε is rounded up. */
export interface Audit {
  readonly schema: string;
  readonly fingerprint: string;
  readonly metrics: readonly MetricAudit[];
  readonly month: string;
  readonly year: string;
  readonly life: string;
  readonly statement: string;
  readonly [key: string]: unknown;
}

/** The audit of a schema. */
export async function auditOf(
  document: SchemaDocument,
  spending: Spending = spendingOf(document),
  linkability: Linkability = linkabilityOf(document),
): Promise<Audit> {
  return {
    schema: wireName(document),
    fingerprint: await fingerprint(canonicalSchema(document)),
    metrics: spending.metrics.map((each) => epsilons(document, each)),
    window: windowOf(document, spending),
    all: spending.all.epsilon,
    holds: spending.holds,
    segmentCombinations: combinationsOf(document),
    recorded: spending.recorded.epsilon,
    month: spending.month,
    year: spending.year,
    life: spending.life,
    ...(spending.versions.length > 0 && { versions: spending.versions }),
    reports: document.reports,
    linkability,
    warnings: warningsOf(document, spending, linkability),
    statement: statementOf(document, spending),
  };
}
