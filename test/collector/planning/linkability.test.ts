/** Linkability: the figure that the audit prints, against devices that run the shipped client on two days. */

import { choice, createTelemetry, defineSchema, flag, memoryStorage, permanent, text } from '@murmuration/client';
import { localHashing, stringHashing } from '@murmuration/client/mechanisms';
import { fakeClock, memoryTransport, seededRng } from '@murmuration/client/testing';
import { fromBase64url, type MetricDocument, mechanismOf, type Questions, type Schema, type SchemaDocument } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { linkabilityOf, linkedShare } from '#collector/planning/audit/linkability.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';
import { linkageWords, warningsOf } from '#collector/planning/audit/warnings.ts';
import { EFFORT } from '../../setup/effort.ts';

const NEVER = 1e-6;
const DAY = 86_400_000;
/** Fleets of each schema. */
const FLEETS = 2 * EFFORT;
const ask = { epsilon: 1, description: 'a question' };
const daily = { ...ask, every: 'day' } as const;
const kept = { epsilon: 4, renew: 'year' } as const;
const list = (size: number): readonly string[] => Array.from({ length: size }, (_, i) => `answer ${i}`);
const hashed = (size: number) => permanent(choice(list(size), { ...daily, mechanism: localHashing() }), kept);
const flags = (count: number, cadence = daily) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, flag(cadence)]));
const define = (metrics: object, more: object = {}): Schema =>
  defineSchema({
    app: 'notes',
    version: 1,
    budget: { epsilon: 1e4, per: 'month' },
    metrics: metrics as Questions,
    ...more,
  } as never) as never;

/** The public part of a report: its cohort, and the run in which its symbol lies. */
function publicPart({ law }: MetricDocument, report: string): string {
  const mechanism = mechanismOf(law);
  const { cohort, cells } = mechanism.decode(law, fromBase64url(report));
  const { runs = 1, cells: size } = mechanism.shape(law);
  return `${cohort} ${runs > 1 ? Math.floor(((cells[0] as number) * runs) / size) : 0}`;
}

/** What the batch of each day shows: segment, names and the public parts of permanent metrics. */
async function shownBy(
  schema: Schema,
  values: { readonly [metric: string]: unknown },
  seed: number,
  days: number,
): Promise<readonly string[]> {
  const { metrics, segments = {} } = schema.document as SchemaDocument;
  const segment = Object.fromEntries(Object.entries(segments).map(([name, all]) => [name, all[seed % all.length]]));
  const [sent, clock] = [memoryTransport(schema as never), fakeClock(new Date('2026-11-20'))];
  const telemetry = createTelemetry({
    schema: schema as never,
    endpoint: '/',
    consent: 'granted',
    debug: false,
    storage: memoryStorage(),
    transport: sent.transport,
    clock,
    rng: seededRng(seed),
    segment: segment as never,
  });
  for (let day = 0; day < days; day++) {
    for (const name of Object.keys(metrics)) telemetry.record(name as never, values[name] as never);
    await telemetry.flush();
    clock.set(new Date(clock.now() + DAY));
  }
  return sent.uploads.map(({ body }) => {
    const { reports } = JSON.parse(body) as { readonly reports: readonly (readonly [string, string])[] };
    const shown = [...reports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, report]) => {
        const metric = metrics[name] as MetricDocument;
        return metric.permanent ? `${name} ${publicPart(metric, report)}` : name;
      });
    return [JSON.stringify(segment), ...shown].join();
  });
}

describe('devices that run the shipped client', () => {
  const same = { country: 'answer 7', home: 'page', site: 'page', other: 'answer 1' };
  test.each([
    ['local hashing of 249 answers', define({ country: hashed(249) }, { reports: 'together' }), 400, 0.61],
    ['local hashing of 5,000 answers', define({ country: hashed(5_000) }, { reports: 'together' }), 400, 0.94],
    ['local hashing of 100,000 answers', define({ country: hashed(100_000) }, { reports: 'together' }), 400, 0.998],
    ['local hashing of 249 answers, of more devices', define({ country: hashed(249) }, { reports: 'together' }), 1_000, 0.34],
    ['names, 6 of 12', define(flags(12), { assign: 'random', budget: { epsilon: 6, per: 'day' }, reports: 'together' }), 500, 0.77],
    ['names, 10 of 20', define(flags(20), { assign: 'random', budget: { epsilon: 10, per: 'day' }, reports: 'together' }), 500, 0.999],
    [
      'names of two charges, and a cohort',
      define(
        {
          ...flags(5),
          ...Object.fromEntries(list(4).map((name, i) => [`n${i}`, choice([name, 'other'], { ...daily, epsilon: 2 })])),
          home: permanent(text(daily), { epsilon: 1, renew: 'year' }),
        },
        { assign: 'random', budget: { epsilon: 5, per: 'day' }, reports: 'together', devices: 1_000 },
      ),
      600,
      undefined,
    ],
    [
      'two texts',
      define(
        { home: permanent(text(daily), kept), site: permanent(text({ ...daily, mechanism: stringHashing() }), kept) },
        { reports: 'together', devices: 50_000 },
      ),
      1_000,
      undefined,
    ],
    [
      'a segment and a text',
      define({ home: permanent(text(daily), kept) }, { segments: { platform: ['web', 'ios', 'android'] } }),
      1_000,
      undefined,
    ],
  ])('%s: the groups of batches that show the same are as many as stated', async (_, schema, devices, stated) => {
    const { linked } = linkabilityOf(schema.document, devices);
    if (stated !== undefined) expect(linked).toBeCloseTo(stated, 2);
    const values = {
      ...Object.fromEntries(Object.keys(schema.document.metrics).map((name) => [name, name.startsWith('n') ? 'other' : true])),
      ...same,
    };
    let groups = 0;
    for (let fleet = 0; fleet < FLEETS; fleet++) {
      const shown = new Set<string>();
      for (let device = 0; device < devices; device++) {
        const [today, tomorrow] = await shownBy(schema, values, 1 + fleet * devices + device, 2);
        expect(tomorrow).toBe(today); // what is public stays
        shown.add(today as string);
      }
      groups += shown.size;
    }
    // A guess in a group of g is right with 1 / g for each of its g batches: the expected share is the number of groups for each device. Each
    // device changes that number by at most 1, so it deviates by t or more with at most 2 exp(-2 t² / devices) (McDiarmid 1989).
    const all = FLEETS * devices;
    expect(Math.abs(groups - all * linked)).toBeLessThan(Math.sqrt((all * Math.log(2 / NEVER)) / 2));
  });
});

describe('the figure', () => {
  const home = permanent(text(daily), kept);
  test('is the formula where all kinds of batches are equally likely, and 1 / N where batches show nothing', () => {
    for (const devices of [1, 2, 10, 1_000, 1e6]) {
      for (const kinds of [1, 2, 364, 88_573, 2 ** 40]) {
        const c = 1 / kinds;
        const stated = -Math.expm1(devices * Math.log1p(-c)) / (devices * c);
        expect(linkedShare(devices, [{ kinds, probability: c }])).toBeCloseTo(stated, 9);
      }
      expect(linkabilityOf(define({ dark: flag(daily) }).document, devices)).toEqual({ devices, chance: 1, linked: 1 / devices, by: [] });
    }
  });

  test('multiplies the groups of all permanent metrics of a batch, and takes the worst metric where reports are alone', () => {
    const metrics = { home, country: hashed(249), dark: flag(daily) };
    const [together, alone] = (['together', 'alone'] as const).map((reports) => define(metrics, { reports }).document);
    const cohorts = mechanismOf(alone?.metrics['home']?.law as never).shape(alone?.metrics['home']?.law as never).cohorts;
    expect(linkabilityOf(together as SchemaDocument)).toMatchObject({ chance: 1 / (cohorts * 364), by: ['home', 'country'] });
    expect(linkabilityOf(alone as SchemaDocument)).toMatchObject({ chance: 1 / 364, by: ['country'] });
  });

  test('counts a metric under assign, sent alone, among the devices that are asked it', () => {
    const more = { assign: 'random', budget: { epsilon: 6, per: 'day' } } as const;
    const { chance, linked } = linkabilityOf(define(flags(12), more).document, 1_000);
    expect(chance).toBeCloseTo(1 / 2, 12);
    expect(linked).toBeCloseTo(1 / 500, 12);
  });

  test('leaves out a metric that fits no budget, whose claim the audit finds broken', () => {
    const { document } = define(flags(2), { assign: 'random', budget: { epsilon: 1, per: 'day' } });
    const broken = { ...document, budget: { epsilon: 0.5, per: 'day' } } as SchemaDocument;
    for (const reports of ['alone', 'together'] as const) expect(linkabilityOf({ ...broken, reports }, 10).linked).toBe(0.1);
  });

  test('is 1, an upper bound, where sets of metrics are too many to add up', () => {
    const metrics = Object.fromEntries(list(30).map((name, i) => [name.replace(' ', ''), flag({ ...daily, epsilon: 1 + i / 100 })]));
    const { linked } = linkabilityOf(
      define(metrics, { assign: 'random', budget: { epsilon: 15, per: 'day' }, reports: 'together' }).document,
    );
    expect(linked).toBe(1);
  });

  test.each([
    [1_000, true],
    [100_000, false],
  ])('warns above 1 percent: %i devices', (devices, isWarned) => {
    const { document } = define({ home }, { devices: 100_000, budget: { epsilon: 20, per: 'month' } });
    const warnings = warningsOf(document, spendingOf(document), linkabilityOf(document, devices));
    expect(warnings.some(({ kind }) => kind === 'linkable')).toBe(isWarned);
  });

  test('says a share near 100 percent in digits', () => {
    const { document } = define(flags(20), { assign: 'random', reports: 'together', budget: { epsilon: 10, per: 'day' } });
    expect(linkageWords(document, linkabilityOf(document, 500))).toMatch(/^99\.\d % of the batches/);
  });
});
