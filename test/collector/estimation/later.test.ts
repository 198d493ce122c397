/** The share of people whose answer is one or a later one: its variance by the law's own covariance, and its interval over many fleets. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, choices, createTelemetry, defineSchema, memoryStorage, text } from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import { createCollector, estimatesOf, momentsOf } from '@murmuration/collector';
import { createReader } from '@murmuration/collector/reader';
import {
  hadamardCountMeanSketchLaw,
  hadamardLaw,
  kAryLaw,
  localHashingLaw,
  mechanismOf,
  permanentKAryLaw,
  projectiveLaw,
  subsetLaw,
  toBase64url,
  unaryLaw,
} from '@murmuration/shared';
import { expect, test } from 'vitest';
import { laterShares } from '#collector/estimation/later.ts';
import { Accumulator } from '#collector/storage/tallying/accumulator.ts';
import { shareSubjects } from '../../conformance/subject.ts';
import { binomial } from '../../kit/coverage/enumerated.ts';
import { fleetOf } from '../../kit/watched-fleets.ts';
import { atMost } from '../../proofs/statistics.ts';

const laws = [
  ['k-ary response', kAryLaw(5, 1)],
  ['unary encoding', unaryLaw(5, 1)],
  ['subset selection', subsetLaw(5, 2, 1)],
  ['local hashing', localHashingLaw(5, 1, undefined, 3)],
  ['Hadamard response', hadamardLaw(5, 1, 2)],
  ['projective geometry response', projectiveLaw(5, 1, 2)],
  ['Hadamard count mean sketch', hadamardCountMeanSketchLaw(5, 1, 2)],
] as const;

/** Devices by answer. */
const COUNTS = [5_000_000_000, 0, 2_000_000_000, 11_000_000_000, 1_000_000_000];
const REPORTS = COUNTS.reduce((sum, count) => sum + count, 0);
const of = (estimate: number) => ({ estimate, standardError: 0, low: estimate, high: estimate });

test.each(laws)('%s: the error is that of the sum, and sampling people adds theirs', (_, law) => {
  const { covariance } = momentsOf(law, { counts: COUNTS, others: new Map(), candidates: [] });
  const shares = COUNTS.map((count) => of(count / REPORTS));
  const known = laterShares(law, shares, REPORTS, { perDevice: 1, people: Number.POSITIVE_INFINITY });
  const drawn = laterShares(law, shares, REPORTS, { perDevice: 1, people: REPORTS / 2 });
  expect(known[0]).toEqual(of(1));
  for (let from = 1; from < COUNTS.length; from++) {
    let variance = 0;
    for (let u = from; u < COUNTS.length; u++) for (let v = from; v < COUNTS.length; v++) variance += covariance.get(u, v);
    const share = COUNTS.slice(from).reduce((sum, count) => sum + count, 0) / REPORTS;
    expect(known[from]?.estimate).toBeCloseTo(share, 12);
    expect((known[from]?.standardError ?? 0) ** 2 / variance).toBeCloseTo(1, 3);
    expect((drawn[from]?.standardError ?? 0) ** 2 / (variance + (share * (1 - share)) / (REPORTS / 2))).toBeCloseTo(1, 3);
  }
});

test('of the last answer it is that answer, however often one symbol is repeated', () => {
  const law = permanentKAryLaw(4, 1, 3);
  const tallies = new Map([[0, { reports: 3_000, cells: Float64Array.of(900, 700, 800, 600) }]]);
  for (const perDevice of [1, 3]) {
    const estimates = estimatesOf(law, { tallies, perDevice, people: 3_000 / perDevice, candidates: [] });
    const last = laterShares(law, estimates, 3_000, { perDevice, people: 3_000 / perDevice }).at(-1);
    expect(last?.standardError).toBeCloseTo(estimates[3]?.standardError as number, 12);
    expect(last?.estimate).toBe(estimates[3]?.estimate);
  }
});

/** Each test fails with a smaller probability under the law. The seeds are fixed, so it fails always or never. */
const FALSE_ALARM = 1e-6;
const [FLEETS, DEVICES] = [300, 400];

test.each(laws)('%s: the interval holds the share of a population in 95 % of fleets', (_, law) => {
  const subject = shareSubjects.find(([, { specimen }]) => specimen.laws[0]?.mechanism === law.mechanism)?.[1] as Parameters<
    typeof fleetOf
  >[0];
  const weights = Array.from({ length: law.size }, (__, i) => 1 / (i + 1));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const truth = weights.map((__, from) => weights.slice(from).reduce((sum, weight) => sum + weight, 0) / all);
  const hits = truth.map(() => 0);
  for (let seed = 1; seed <= FLEETS; seed++) {
    const folder = new Accumulator(mechanismOf(law).shape(law));
    folder.addPayloads(fleetOf(subject, law, 'zipf', seed).honest(DEVICES).map(toBase64url));
    const estimates = estimatesOf(law, { tallies: folder.tallies(), perDevice: 1, people: DEVICES, candidates: [] });
    const later = laterShares(law, estimates, DEVICES, { perDevice: 1, people: DEVICES });
    later.forEach(({ low, high }, from) => {
      const share = truth[from] as number;
      if (low <= share && share <= high) hits[from] = (hits[from] as number) + 1;
    });
  }
  expect(hits[0]).toBe(FLEETS);
  for (const hit of hits.slice(1)) expect(atMost(hit, FLEETS, 0.95)).toBeGreaterThan(FALSE_ALARM);
});

test.each([20, 60])('of k-ary response and %i reports it is covered for every share, over all counts', (reports) => {
  const law = kAryLaw(4, 5);
  const { p, q } = mechanismOf(law).support(law);
  const laterOf = (count: number, people: number) => {
    const sum = (count / reports - 2 * q) / (p - q);
    return laterShares(law, [1 - sum, 0, sum, 0].map(of), reports, { perDevice: 1, people })[2] as ReturnType<typeof of>;
  };
  const found = Array.from({ length: reports + 1 }, (_, count) => laterOf(count, reports));
  const among = Array.from({ length: reports + 1 }, (_, count) => laterOf(count, Number.POSITIVE_INFINITY));
  const coverage = (intervals: typeof found, share: number, chance: number): number => {
    const { from, chances } = binomial(reports, chance);
    return chances.reduce((sum, each, i) => {
      const { low, high } = intervals[from + i] as ReturnType<typeof of>;
      return sum + (low <= share + 1e-12 && share <= high + 1e-12 ? each : 0);
    }, 0);
  };
  for (const share of [0, 0.001, 0.005, 0.01, 0.99, 0.995, 1])
    expect(coverage(found, share, 2 * q + (p - q) * share)).toBeGreaterThanOrEqual(0.95);
  for (const share of [0, 1]) expect(coverage(among, share, 2 * q + (p - q) * share)).toBeGreaterThanOrEqual(0.95);
});

test('a reader asks for the share that reached each step, of lists with one answer only', async () => {
  const ask = { epsilon: 4, description: 'How far?' };
  const schema = defineSchema({
    app: 'steps',
    version: 1,
    budget: { epsilon: 12, per: 'month' },
    metrics: {
      signup: choice(['none', 'form', 'paid'], ask),
      tools: choices(['pen', 'ink', 'wash'], { ...ask, atMost: 2 }),
      page: text(ask),
    },
  });
  const data = mkdtempSync(join(tmpdir(), 'murmuration-later-'));
  const collector = await createCollector({ open: true, schemas: [schema.document], minimum: 20, data });
  try {
    const url = await collector.listen(0, '127.0.0.1');
    for (let i = 0; i < 90; i++) {
      const telemetry = createTelemetry({ schema, endpoint: url, consent: 'granted', storage: memoryStorage(), rng: seededRng(i) });
      telemetry.record('signup', (['none', 'form', 'paid'] as const)[i % 3] as 'none');
      await telemetry.flush();
    }
    const reader = createReader(schema, { url, token: '' });
    const { answers } = await reader.estimates('signup', { orLater: true });
    expect(answers.map(({ label, orLater }) => [label, orLater?.estimate])).toEqual([
      ['none', 1],
      ['form', (answers[1]?.estimate ?? 0) + (answers[2]?.estimate ?? 0)],
      ['paid', answers[2]?.estimate],
    ]);
    const reached = answers[1]?.orLater;
    expect([(reached?.low ?? 1) < 2 / 3, 2 / 3 < (reached?.high ?? 0)]).toEqual([true, true]);
    expect((await reader.estimates('signup')).answers.some((answer) => 'orLater' in answer)).toBe(false);
    for (const name of ['tools', 'page'] as const)
      await expect(reader.estimates(name, { orLater: true })).rejects.toThrow(
        'orLater of a list of up to 64 answers, of which a device gives one',
      );
  } finally {
    await collector.close();
    rmSync(data, { recursive: true });
  }
});
