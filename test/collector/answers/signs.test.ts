/** Signs of crafted days, of silence and of jumps with a version: found where they are, and nowhere else. */

import { defineSchema, flag, mean } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { createReader } from '@murmuration/collector/reader';
import {
  canonicalSchema,
  dayNumber,
  dayText,
  kAryLaw,
  type Law,
  mechanismOf,
  prefixHashingLaw,
  subsetLaw,
  toBase64url,
  unaryLaw,
  wireName,
} from '@murmuration/shared';
import { afterEach, expect, test } from 'vitest';
import { randomizePrefixHashing } from '#client/randomizers/prefix-hashing.ts';
import { type RateCounts, ratesOf } from '#collector/answers/rates.ts';
import { rowsOf } from '#collector/answers/rows.ts';
import { lookAt, type MetricLooks, silencesOf } from '#collector/answers/signs.ts';
import type { Evidence } from '#collector/estimation/tally.ts';
import type { Selection } from '#collector/storage/store.ts';
import type { Subject } from '../../conformance/subject.ts';
import { subjects } from '../../conformance/subjects.ts';
import { NOW, type Running, read, start } from '../../kit/app.ts';
import { DaysInMemory, lookAtAll, PLATFORMS, type Watched } from '../../kit/watched-days.ts';
import { craftedOf, type Fleet, fleetOf } from '../../kit/watched-fleets.ts';

const TODAY = dayNumber(NOW);
const subjectOf = ({ mechanism }: Law): Subject => (subjects.find(({ name }) => name === mechanism) as (typeof subjects)[number]).subject;
const fleet = (law: Law, seed: number): Fleet => fleetOf(subjectOf(law), law, 'zipf', seed);

test('a day of 4,000 crafted reports in two of six metrics is found: that day, those metrics, that segment, and nothing else', async () => {
  const laws = [kAryLaw(5, 1), kAryLaw(5, 1), kAryLaw(2, 1), subsetLaw(24, 6, 1), unaryLaw(8, 1), unaryLaw(12, 1)];
  const metrics = laws.map((law, i): Watched => ({ name: `m${i}`, law }));
  const [days, poisoned] = [new DaysInMemory(), TODAY - 12];
  for (const [i, { name, law }] of metrics.entries()) {
    const devices = fleet(law, i + 1);
    for (let day = TODAY - 79; day <= TODAY; day++)
      for (const platform of PLATFORMS) days.add(name, law, day, platform, devices.honest(225));
    if (i < 2) days.add(name, law, poisoned, 'ios', craftedOf(law, 'one report', devices, 4_000) as readonly Uint8Array[]);
  }
  const known = new Map<string, MetricLooks>();
  for (const today of [TODAY, TODAY + 1]) {
    const found = await lookAtAll(days, metrics, today, known);
    expect(found.map(({ metric, kind, day, segments, reports }) => [metric, kind, day, segments, reports])).toEqual(
      ['m0', 'm1'].map((metric) => [metric, 'law', dayText(poisoned), ['platform=ios'], 4_450]),
    );
  }
});

test('strings that nobody has listed are read one day at a time and without segments, and a crafted day is still found', async () => {
  const law = prefixHashingLaw(4, 1);
  const coins = createCoins(words(seededRng(1)));
  const honest = (count: number): readonly Uint8Array[] =>
    Array.from({ length: count }, (_, i) => randomizePrefixHashing(law, `a${i % 7}`, coins));
  const [days, poisoned] = [new DaysInMemory(), TODAY - 3];
  for (let day = TODAY - 5; day <= TODAY; day++) for (const platform of PLATFORMS) days.add('studio', law, day, platform, honest(100));
  days.add('studio', law, poisoned, 'ios', Array<Uint8Array>(20).fill(honest(1)[0] as Uint8Array));
  const asked: unknown[] = [];
  const readParts: DaysInMemory['readParts'] = (selection, parts) => {
    asked.push([selection.segment, parts.length]);
    return days.readParts(selection, parts);
  };
  const found = await lookAtAll({ readParts }, [{ name: 'studio', law }], TODAY, new Map());
  expect(found.map(({ kind, day, segments, reports }) => [kind, day, segments, reports])).toEqual([['law', dayText(poisoned), [], 220]]);
  expect(new Set(asked.map((each) => JSON.stringify(each)))).toEqual(new Set(['[null,1]']));
});

/** Counts by day, with variation of twice Poisson's, and none on some days. */
const countsOf = (each: number, silent: readonly number[] = []): ReadonlyMap<number, { readonly reports: number }> =>
  new Map(
    Array.from({ length: 80 }, (_, i) => {
      const day = TODAY - 79 + i;
      const weekend = day % 7 < 2 ? 0.6 : 1;
      return [day, { reports: silent.includes(day) ? 0 : Math.round(weekend * each + Math.sqrt(2 * each) * Math.sin(37 * i)) }];
    }),
  );

test('days of silence are found against the same weekdays, and only where reports are expected', () => {
  const silent = [TODAY - 20, TODAY - 19, TODAY - 12];
  expect(silencesOf(countsOf(400, silent), TODAY).map(({ day }) => day)).toEqual(silent);
  for (const { pValue } of silencesOf(countsOf(400, silent), TODAY)) expect(pValue).toBeLessThan(1e-6);
  expect(silencesOf(countsOf(400), TODAY)).toEqual([]);
  expect(silencesOf(countsOf(20, silent), TODAY)).toEqual([]);
  expect(silencesOf(countsOf(400, [TODAY - 1, TODAY]), TODAY)).toEqual([]); // not over yet
  expect(silencesOf(new Map(), TODAY)).toEqual([]);
});

/** Weekly metrics of which the newest version has half of the reports since it came; of the last one, `newest`. */
const rates = (newest: number, others = 5_000): readonly RateCounts[] =>
  [5_000, 5_000, newest].map((own, i) => ({
    metric: `m${i}`,
    every: 'week',
    before: 10_000,
    others: i === 2 ? others : 5_000,
    newest: own,
  }));
const namesOf = (counts: readonly RateCounts[], days = 14): readonly string[] => ratesOf(counts, days).map(({ metric }) => metric);

test('a rate that falls by half with a version is found among metrics of its cadence, as far as devices are enough', () => {
  expect(namesOf(rates(5_000))).toEqual([]);
  expect(namesOf(rates(3_000))).toEqual([]); // less than half is gone
  expect(ratesOf(rates(500), 14)).toEqual([{ metric: 'm2', pValue: expect.any(Number) }]);
  expect(ratesOf(rates(500), 14)[0]?.pValue).toBeLessThan(1e-6);
  const rare = rates(4_000).map((each, i) => (i === 2 ? { ...each, before: 2_000, others: 1_000 } : each));
  expect(namesOf(rare)).toEqual(['m2']); // or rises
  expect(namesOf(rates(500), 5_000)).toEqual([]); // all of them may come from few devices
  expect(namesOf(rates(500).map((each) => ({ ...each, every: 'once' })))).toEqual([]);
  expect(namesOf(rates(500), 13)).toEqual([]); // slots of the older version still hide answers
  expect(namesOf(rates(500).map((each, i) => (i === 0 ? { ...each, otherwise: false } : each)))).toEqual(['m2']);
  expect(namesOf(rates(500).map((each, i) => (i === 2 ? { ...each, otherwise: false } : each)))).toEqual([]); // it has no peer
});

test('a rate that differs because of the devices of a version, or of the days, is none that the version changed', () => {
  // New users, or those who use an app most, have the newest version first: it has all of their answers, and there are as many as before.
  expect(namesOf(rates(9_500, 500))).toEqual([]);
  // On a day off nobody works, in whatever version.
  expect(namesOf(rates(500, 500))).toEqual([]);
  // Where all devices have the newest version, the days before are left to compare with.
  const at = rates(1_000).map((each) => ({ ...each, others: 0, newest: each.newest * 2 }));
  expect(namesOf(at)).toEqual(['m2']);
  // Few have it yet, so what all reports together say depends on the other versions.
  expect(namesOf(rates(500).map((each) => ({ ...each, others: each.others * 5, before: each.before * 3 })))).toEqual([]);
});

let running: Running | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

const schemaOf = (version: number) =>
  defineSchema({
    app: 'notes',
    version,
    budget: { epsilon: 100, per: 'month' },
    segments: { platform: ['web', 'ios'] },
    metrics: {
      dark: flag({ epsilon: 1, every: 'day', description: 'Is dark mode on?' }),
      speed: mean([0, 100], { epsilon: 1, every: 'day', description: 'How fast?' }),
    },
  }).document;

test('a mean that differs because of who has a version first is no jump, unless all reports changed by more than chance', async () => {
  const document = schemaOf(1).metrics['speed'] as NonNullable<ReturnType<typeof schemaOf>['metrics'][string]>;
  const metric = { app: 'notes', metric: 'speed', version: 2, document, schemas: ['notes/1', 'notes/2'], segments: {} };
  const { cells: outcomes } = mechanismOf(document.law).shape(document.law);
  /** Reports with this mean, all of the first and the last outcome. */
  const evidenceOf = (wanted: number, reports: number): Evidence => {
    const at = (last: number): Evidence => {
      const cells = Float64Array.from({ length: outcomes }, (_, i) => (i === 0 ? reports - last : i === outcomes - 1 ? last : 0));
      return { tallies: new Map([[0, { reports, cells }]]), reports, from: TODAY - 7, to: TODAY, ones: [] };
    };
    const meanAt = (last: number): number =>
      rowsOf({ metric, evidence: at(last), minimum: 1, candidates: [] }, 'mean')[0]?.estimate as number;
    return at(Math.round((reports * (wanted - meanAt(0))) / (meanAt(reports) - meanAt(0))));
  };
  /** The p-value where heavy users have version 2 and the others version 1, and all reports before had this mean. */
  const jumpAfter = async (usual: number, before: number): Promise<number> => {
    const read = async ({ schemas, from = 0 }: Selection): Promise<Evidence> =>
      schemas.length > 1
        ? from < TODAY - 6
          ? evidenceOf(usual, before)
          : evidenceOf(40, 20_000)
        : evidenceOf(schemas[0] === 'notes/2' ? 60 : 20, 10_000);
    const reader = { read, readParts: async (_: unknown, parts: readonly unknown[]) => parts.map(() => evidenceOf(50, 0)) };
    const versions = [1, 2].map((version) => ({ schema: `notes/${version}`, from: TODAY - (version === 1 ? 30 : 6) }));
    const known: MetricLooks = { days: new Map(), versions: new Map() };
    return (await lookAt({ metric, today: TODAY, known, versions }, reader as never)).versions.get('notes/2')?.pValue ?? Number.NaN;
  };
  expect(await jumpAfter(40, 20_000)).toBe(1);
  expect(await jumpAfter(24, 400)).toBeGreaterThan(0.05);
  expect(await jumpAfter(20, 20_000)).toBeLessThan(1e-6);
});

test('the API, the reader and the numbers of the probes tell signs, and impossible numbers say that reports can’t be right', async () => {
  const [first, second] = [schemaOf(1), schemaOf(2)];
  running = await start({ schemas: [first, second], perMetric: 1_000 });
  expect(canonicalSchema(first)).not.toBe(canonicalSchema(second));
  let batch = 0;
  const bodyOf = (document: typeof first, daysAgo: number, metric: string, reports: readonly Uint8Array[]): string =>
    JSON.stringify({
      v: 1,
      schema: wireName(document),
      day: dayText(TODAY - daysAgo),
      batch: `${batch++}`.padStart(32, '0'),
      segment: { platform: 'web' },
      reports: reports.map((report) => [metric, toBase64url(report)]),
    });
  const { dark, speed } = first.metrics;
  const devices = fleet(dark?.law as Law, 3);
  const slow = fleetOf(subjectOf(speed?.law as Law), speed?.law as Law, 'one', 4);
  const even = fleetOf(subjectOf(speed?.law as Law), speed?.law as Law, 'even', 5);
  const crafted = craftedOf(dark?.law as Law, 'one report', devices, 600) as readonly Uint8Array[];
  await running.send([
    ...[1, 2, 3].flatMap((ago) => [first, second].map((each) => bodyOf(each, ago, 'dark', devices.honest(200)))),
    bodyOf(first, 4, 'dark', crafted),
    ...[2, 3].flatMap((ago) => [bodyOf(first, ago, 'speed', even.honest(500)), bodyOf(second, ago, 'speed', slow.honest(500))]),
  ]);
  const reader = createReader(undefined, { url: running.url });
  const signs = await reader.signs();
  expect(signs.map(({ metric, kind, day, segments }) => [metric, kind, day, segments])).toEqual([
    ['speed', 'value', dayText(TODAY - 3), []],
    ['dark', 'law', dayText(TODAY - 4), ['platform=web']],
  ]);
  for (const { pValue, level } of signs) expect(pValue).toBeLessThanOrEqual(level);
  expect((await read(`${running.url}/v1/signs?app=notes`)).body).toEqual({ signs });
  expect((await read(`${running.url}/v1/signs?app=other`)).body).toEqual({ signs: [] });
  const numbers = await (await fetch(`${running.url}/metrics`)).text();
  expect(numbers).toContain('murmuration_signs_law 1');
  expect(numbers).toContain('murmuration_signs_value 1');
  expect(numbers).toContain('murmuration_signs_silence 0');
  const onDay = await reader.estimates('dark', { from: dayText(TODAY - 4), to: dayText(TODAY - 4) });
  expect(onDay.impossible?.labels).toHaveLength(2);
  expect(onDay.impossible?.pValue).toBeLessThan(1e-6);
  const without = await reader.estimates('dark', { exclude: [dayText(TODAY - 4)] });
  expect([without.impossible, without.reports, without.excluded]).toEqual([
    undefined,
    1_200,
    [{ from: dayText(TODAY - 4), to: dayText(TODAY - 4), reports: 600 }],
  ]);
});
