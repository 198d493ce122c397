/** `murmuration release estimates`: the estimates of a metric beside a released number of reports, and with the error that it gives. */

import { answersOf, rangeOf } from '@murmuration/shared';
import { COUNT_BETA, type PublishedEstimates, publishedEstimates } from '../answers/published-estimates.ts';
import { UsageError } from '../base/fault.ts';
import { print } from '../base/usage.ts';
import { noiseFor, spentOf } from '../release/measures/measure.ts';
import { systemRandom } from '../release/mechanisms/random.ts';
import { type Measured, measuringBy } from '../release/query/making.ts';
import type { Question } from '../release/query/question.ts';
import { Releases } from '../release/release.ts';
import { readParticipation } from '../release/table/participation.ts';
import { createCatalog, type PublishedMetric } from '../schemas/catalog.ts';
import { withLedger } from './release-budget.ts';
import { load } from './serve.ts';
import { fromStore, metricsOf, type Stored, sourceOf } from './stored.ts';
import type { StoredOptions } from './stored-options.ts';
import { table } from './table.ts';

/** The options. */
export interface EstimatesOptions extends StoredOptions {
  readonly analyst: string;
  readonly epsilon?: string;
  readonly rho?: string;
  readonly minimum: number;
  readonly json?: boolean;
}

/** The question for the number of reports that the estimates are of. */
function questionOf({ app, metric, schemas }: PublishedMetric, options: EstimatesOptions): Question {
  const { from = '', to = from, exclude, segment, epsilon, rho } = options;
  const version = schemas.map((wire) => wire.split('/')[1] as string);
  const segments = Object.fromEntries(Object.entries(segment).map(([name, value]) => [name, [value]]));
  return {
    app,
    from,
    to,
    ...(exclude !== undefined && { exclude: exclude.split(',') }),
    where: { ...segments, metric: [metric], version },
    measures: [{ kind: 'count', ...(epsilon !== undefined && { epsilon }), ...(rho !== undefined && { rho }) }],
  };
}

function textOf({ reports, answers }: PublishedEstimates): string {
  const heading = `${reports} reports, released`;
  if (answers.length === 0) return `${heading}: too few for estimates`;
  const rows = answers.map(({ label, estimate, standardError, low, high }) => [
    label,
    `${estimate}`,
    `${standardError}`,
    `${low} to ${high}`,
  ]);
  return `${heading}\n${table(['answer', 'estimate', 'standard error', '95 %'], rows)}`;
}

/** Prints estimates that carry the released number of reports. */
export async function estimates(options: EstimatesOptions): Promise<void> {
  const loaded = await load(options);
  if (options.metric === undefined) throw new UsageError('--metric: expected the metric whose estimates are published, got none');
  const [metric, ...others] = metricsOf(options, loaded);
  if (metric === undefined || others.length > 0)
    throw new UsageError(`--app: expected the app, since several have a metric ${options.metric}, got none`);
  const { document } = metric;
  if (answersOf(document) === undefined && rangeOf(document) === undefined)
    throw new UsageError(`--metric: expected a metric whose answers are listed, or a number, got a ${document.type}`);
  await withLedger(options, async (ledger) => {
    const catalog = createCatalog([...loaded.schemas, ...loaded.published]);
    const source = await sourceOf(options);
    const [found] = await fromStore(options, [metric], (stored) => stored);
    const request = { ...(found as Stored), minimum: options.minimum, candidates: [] };
    // The estimates are made once before the charge. What can fail fails there: whatever is released, only the errors differ.
    publishedEstimates(request, { value: options.minimum, within: 0 });
    const releases = new Releases({ ledger, read: (wanted) => readParticipation(source, wanted), measuring: measuringBy(systemRandom()) });
    const { results } = await releases.ask({ analyst: options.analyst, catalog, question: questionOf(metric, options) });
    const [{ measure, error, cells }] = results as readonly [Measured];
    // A stored answer may have a larger ε than was asked for, and the smaller noise of it.
    const noise = noiseFor(spentOf(measure), error.sensitivity);
    const published = publishedEstimates(request, { value: cells?.[0]?.value ?? 0, within: noise.accuracy(COUNT_BETA) });
    print(options.json, published, () => textOf(published));
  });
}
