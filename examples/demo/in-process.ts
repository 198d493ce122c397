/**
 * A seeded fleet without HTTP, for statistics: the shipping client, and the collector's own parsing, folding and estimators. It compares the
 * questions whose estimates have a known covariance, that is lists and texts.
 */

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
import { answersOf, dayNumber, labelOf, type MetricDocument } from '@murmuration/shared';
import { type Comparison, compareMetric, isJoint } from './compare.ts';
import { candidates, countTruth, people, type Truths } from './data.ts';
import { report } from './device.ts';
import { schema } from './schema.ts';

const metrics = Object.entries(schema.document.metrics as { readonly [name: string]: MetricDocument });
const published = publish(schema.document);
const schemas = new Map([[schema.wire, published]]);

/** The estimates of a metric, labelled as the API labels them. */
function estimate(metric: MetricDocument, tallies: Tallies): readonly AnswerEstimate[] {
  const answers = answersOf(metric) ?? candidates.word;
  return estimatesOf(metric.law, { tallies, perDevice: 1, candidates: candidates.word }).map((estimated, i) => {
    const answer = answers[i] as AnswerEstimate['answer'];
    return { answer, label: labelOf(answer), ...estimated };
  });
}

/** Runs a fleet and compares its estimates with the truth, metric by metric. The same seed gives the same numbers. */
export async function simulateFleet(devices: number, seed: number): Promise<readonly Comparison[]> {
  const batches: AcceptedBatch[] = [];
  const truths: Truths = {};
  const population = people(2 * seed);
  const rng = seededRng(2 * seed + 1);
  const transport = async ({ body }: Upload): Promise<{ readonly status: number }> => {
    batches.push(parseBatch(body, schemas, dayNumber(Date.now())));
    return { status: 204 };
  };
  for (let i = 0; i < devices; i++) {
    const { answers, delivered, lost } = await report(population, { endpoint: 'http://in-process', transport, rng });
    if (lost.length > 0) throw new Error(`expected every report to be delivered, got ${JSON.stringify(lost)}`);
    for (const metric of delivered) countTruth(truths, metric, answers[metric]);
  }
  const tallies = foldBatches(published, batches);
  return metrics.flatMap(([name, metric]) => {
    const truth = truths[name];
    if (truth === undefined || !isJoint(metric)) return [];
    return [compareMetric(name, estimate(metric, tallies.get(name) ?? new Map()), truth)];
  });
}
