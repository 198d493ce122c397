/** A seeded fleet without HTTP, for statistics: the shipping client, the collector's own parsing and estimators, and tallies between. */

import type { Upload } from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import { type AnswerEstimate, estimatesOf } from '@murmuration/collector';
import {
  answersOf,
  dayNumber,
  labelOf,
  type MetricDocument,
  mechanismOf,
  parseBatch,
  publish,
  unpackReports,
  wireName,
} from '@murmuration/shared';
import { type Comparison, compareMetric } from './compare.ts';
import { candidates, countTruth, noTruths, people } from './data.ts';
import { report } from './device.ts';
import { schema } from './schema.ts';

type Tallies = Map<number, { reports: number; readonly cells: Float64Array }>;

const metrics = Object.entries(schema.document.metrics as { readonly [name: string]: MetricDocument });
const published = publish(schema.document);
const schemas = new Map([[wireName(schema.document), published]]);

/** Counts a batch as the collector does. */
function count({ body }: Upload, tallies: ReadonlyMap<string, Tallies>): void {
  const { reports } = parseBatch(body, schemas, dayNumber(Date.now()));
  for (const { metric, report: found } of unpackReports(published, reports)) {
    const { law } = schema.document.metrics[metric] as MetricDocument;
    const cohorts = tallies.get(metric) as Tallies;
    const tally = cohorts.get(found.cohort) ?? { reports: 0, cells: new Float64Array(mechanismOf(law).shape(law).cells) };
    cohorts.set(found.cohort, tally);
    tally.reports++;
    for (const cell of found.cells) tally.cells[cell] = (tally.cells[cell] as number) + 1;
  }
}

/** The estimates of a metric, labelled as the API labels them. */
function estimate(name: string, metric: MetricDocument, tallies: Tallies): readonly AnswerEstimate[] {
  const strings = candidates[name as keyof typeof candidates] ?? [];
  const answers = answersOf(metric) ?? strings;
  return estimatesOf(metric.law, { tallies, perDevice: 1, candidates: strings }).map((estimated, i) => {
    const answer = answers[i] as AnswerEstimate['answer'];
    return { answer, label: labelOf(answer), ...estimated };
  });
}

/** Runs a fleet and compares its estimates with the truth, metric by metric. The same seed gives the same numbers. */
export async function simulateFleet(devices: number, seed: number): Promise<readonly Comparison[]> {
  const tallies = new Map(metrics.map(([name]) => [name, new Map() as Tallies]));
  const truths = noTruths();
  const next = people(2 * seed);
  const rng = seededRng(2 * seed + 1);
  const transport = async (upload: Upload): Promise<{ readonly status: number }> => {
    count(upload, tallies);
    return { status: 204 };
  };
  for (let i = 0; i < devices; i++) {
    const person = next();
    const { delivered, lost } = await report(person, { endpoint: 'http://in-process', transport, rng });
    if (lost.length > 0) throw new Error(`expected every report to be delivered, got ${JSON.stringify(lost)}`);
    for (const metric of delivered) countTruth(truths, metric, person);
  }
  return metrics.map(([name, metric]) => compareMetric(name, estimate(name, metric, tallies.get(name) as Tallies), truths));
}
