/** A seeded fleet without HTTP, for statistics: the shipping client, and the collector's own parsing, folding and estimators. */

import type { Upload } from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import {
  type AcceptedBatch,
  type AnswerEstimate,
  estimatesOf,
  foldBatches,
  parseBatch,
  publish,
  type Tallies,
} from '@murmuration/collector';
import { answersOf, dayNumber, labelOf, type MetricDocument, wireName } from '@murmuration/shared';
import { type Comparison, compareMetric } from './compare.ts';
import { asked, candidates, countTruth, noTruths, people } from './data.ts';
import { report } from './device.ts';
import { schema } from './schema.ts';

const metrics = Object.entries(schema.document.metrics as { readonly [name: string]: MetricDocument });
const published = publish(schema.document);
const schemas = new Map([[wireName(schema.document), published]]);

/** The estimates of a metric, labelled as the API labels them. */
function estimate(name: string, metric: MetricDocument, tallies: Tallies): readonly AnswerEstimate[] {
  const strings = candidates[name as keyof typeof candidates] ?? asked[name] ?? [];
  const answers = answersOf(metric) ?? strings;
  return estimatesOf(metric.law, { tallies, perDevice: 1, candidates: strings }).map((estimated, i) => {
    const answer = answers[i] as AnswerEstimate['answer'];
    return { answer, label: labelOf(answer), ...estimated };
  });
}

/** Runs a fleet and compares its estimates with the truth, metric by metric. The same seed gives the same numbers. */
export async function simulateFleet(devices: number, seed: number): Promise<readonly Comparison[]> {
  const batches: AcceptedBatch[] = [];
  const truths = noTruths();
  const next = people(2 * seed);
  const rng = seededRng(2 * seed + 1);
  const transport = async ({ body }: Upload): Promise<{ readonly status: number }> => {
    batches.push(parseBatch(body, schemas, dayNumber(Date.now())));
    return { status: 204 };
  };
  for (let i = 0; i < devices; i++) {
    const person = next();
    const { delivered, lost } = await report(person, { endpoint: 'http://in-process', transport, rng });
    if (lost.length > 0) throw new Error(`expected every report to be delivered, got ${JSON.stringify(lost)}`);
    for (const metric of delivered) countTruth(truths, metric, person);
  }
  const tallies = foldBatches(published, batches);
  return metrics.map(([name, metric]) => compareMetric(name, estimate(name, metric, tallies.get(name) ?? new Map()), truths));
}
