/** Decodes of texts that devices report many times: intervals of what is found hold about all users, and no leader is named among equals. */

import { defineSchema, permanent, text } from '@murmuration/client';
import { stringHashing } from '@murmuration/client/mechanisms';
import { seededRng, words } from '@murmuration/client/testing';
import { bloomBit, hashString, type MetricDocument, MODULUS, type StringHashingLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { type DecodeRequest, decodeStrings } from '#collector/answers/decoding.ts';
import { cellMapOf } from '#collector/decoding/decode/tallies.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { sampler } from '#collector/planning/simulate/simulation.ts';
import { atMost } from '../../proofs/statistics.ts';

const ask = { epsilon: 4, every: 'day', description: 'Which page opens first?', mechanism: stringHashing() } as const;
const { metrics } = defineSchema({
  app: 'notes',
  version: 1,
  devices: 1_000,
  budget: { epsilon: 200, per: 'month' },
  metrics: { fresh: text(ask), stored: permanent(text({ ...ask, epsilon: 2 }), { epsilon: 6, renew: 'year' }) },
}).document;

const [DAYS, ROUNDS] = [30, 30];
/** The first two are equally frequent; the last is on no list. */
const SHARES = [0.35, 0.35, 0.2, 0.1] as const;
const LISTED = 3;
const ABSENT = 5;

/** Reports of devices that each send one a day, by the law's own probabilities. */
function draw(law: StringHashingLaw, texts: readonly string[], devices: number, chance: () => number): Tallies {
  const { buckets, cohorts, truth, irr } = law;
  const tallies = new Map<number, { reports: number; readonly cells: Float64Array }>();
  const own = sampler(SHARES, chance);
  const below = (most: number): number => Math.floor(most * chance());
  const kept = (bucket: number, part: number): number => (chance() < part / MODULUS ? bucket : (bucket + 1 + below(buckets - 1)) % buckets);
  for (let device = 0; device < devices; device++) {
    const hash = hashString(texts[own()] as string);
    const drawn = (): readonly [cohort: number, bucket: number] => {
      const cohort = below(cohorts);
      return [cohort, kept(bloomBit(hash, cohort, 0, buckets), truth)];
    };
    const stored = irr && drawn();
    for (let day = 0; day < DAYS; day++) {
      const [cohort, bucket] = stored ? [stored[0], kept(stored[1], irr.truth)] : drawn();
      const tally = tallies.get(cohort) ?? { reports: 0, cells: new Float64Array(buckets) };
      tallies.set(cohort, tally);
      tally.reports++;
      tally.cells[bucket] = (tally.cells[bucket] as number) + 1;
    }
  }
  return tallies;
}

test.each([
  ['fresh', 300],
  ['stored', 2_000],
])('reports of %s symbols by %i devices that report daily', (name, devices) => {
  const document = metrics[name] as MetricDocument;
  const law = document.law as StringHashingLaw;
  const word = words(seededRng(8));
  let [found, held, led] = [0, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const texts = Array.from({ length: SHARES.length + ABSENT }, (_, i) => `${round}/${i}`);
    const tallies = draw(law, texts, devices, () => word() / MODULUS);
    const answers = texts.filter((_, i) => i < LISTED || i >= SHARES.length).map((answer) => ({ answer, text: answer }));
    const { fields, strings } = decodeStrings({
      metric: { app: 'notes', metric: name, version: 1, document },
      evidence: { tallies, reports: devices * DAYS, from: 20_000, to: 20_000 + DAYS - 1, ones: [] },
      minimum: 1,
      fdr: 0.05,
      all: false,
      verdicts: { looks: 'always', planned: devices * DAYS },
      answers,
      mapOf: () =>
        cellMapOf(
          law,
          answers.map((each) => each.text),
        ),
    } as unknown as DecodeRequest);
    for (const { label, low, high } of strings) {
      const share = SHARES[texts.indexOf(label)];
      if (share === undefined) continue;
      found++;
      if (low <= share && share <= high) held++;
    }
    if (fields.verdict?.kind === 'lead') led++;
  }
  expect(found).toBeGreaterThan(2 * ROUNDS);
  expect(atMost(held, found, 0.95), `${held} of ${found}`).toBeGreaterThan(1e-6);
  expect(1 - atMost(led - 1, ROUNDS, 0.05), `${led} of ${ROUNDS}`).toBeGreaterThan(1e-6);
});
