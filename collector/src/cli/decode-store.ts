/** Input of `murmuration decode` from a string metric in a store, with lists of candidates. */

import { isPrefixLaw, isStringLaw, labelOf, type StringLaw } from '@murmuration/shared';
import { candidateAnswersOf, takesCandidates } from '../answers/candidates.ts';
import { basisOf, excludedIn } from '../answers/estimates.ts';
import { UsageError } from '../base/fault.ts';
import { cellCountsOf, cellMapOf, repeatedShares } from '../decoding/decode/tallies.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';
import { backendOf } from './admin.ts';
import type { Way } from './candidate-files/candidates.ts';
import { readCandidates } from './candidate-files/candidates.ts';
import type { Source } from './decode-source.ts';
import { load } from './serve.ts';
import { fromStore, metricsOf } from './stored.ts';
import type { StoredOptions } from './stored-options.ts';

/** The one metric that is asked for, and its law. @throws {UsageError} when it has no strings */
function stringMetric(metrics: readonly PublishedMetric[]): readonly [metric: PublishedMetric, law: StringLaw] {
  const [found, ...others] = metrics;
  if (found === undefined || others.length > 0)
    throw new UsageError(`--metric: expected one metric, got ${metrics.map(({ app, metric }) => `${app} ${metric}`).join(', ')}`);
  const { type, law } = found.document;
  if (takesCandidates(found.document) && isStringLaw(law)) return [found, law];
  if (isPrefixLaw(law)) throw new UsageError(`--metric ${found.metric}: murmuration discover finds the strings of a discover metric`);
  throw new UsageError(
    `--metric ${found.metric}: expected a text metric, or a joint one with a text, got a ${type}, whose estimates murmuration export writes`,
  );
}

/** Reads a string metric of a store. @throws {UsageError} when there is none, or it has no reports */
export async function storeSource(options: StoredOptions, lists: readonly string[], ways: readonly Way[]): Promise<Source> {
  const { schema, data, postgres } = options;
  const loaded = await load({ ...(schema && { schema }), data, ...(postgres !== undefined && { postgres }) });
  const [metric, law] = stringMetric(metricsOf(options, loaded));
  const { candidates, leftOut } = await readCandidates(lists, ways);
  const answers = candidateAnswersOf(metric.document, candidates);
  const texts = answers.map(({ text }) => text);
  const [read] = await fromStore(options, [metric], ({ evidence }) => {
    const basis = basisOf(metric.document, evidence, 'population');
    const [counts, shares] = [cellCountsOf(law, evidence.tallies, basis), repeatedShares(law, evidence.tallies, basis, texts)];
    return { reports: evidence.reports, ...excludedIn(evidence.excluded), counts, shares };
  });
  if (read === undefined || read.reports === 0)
    throw new UsageError(`--metric ${metric.metric}: expected reports in ${backendOf(options).words.place}, got none`);
  return { ...read, map: cellMapOf(law, texts), names: answers.map(({ answer }) => labelOf(answer)), leftOut };
}
