/**
 * Linking batches: what a batch shows in clear, and shows again a month later. Under `assign: 'random'` a device answers the same metrics each
 * month, and their names are in its batch; a permanent text names a cohort, and two texts two of them. Sent alone, a report shows one name or
 * one cohort.
 */

import {
  createTelemetry,
  type DeviceQuestions,
  defineSchema,
  flag,
  memoryStorage,
  permanent,
  type Schema,
  text,
} from '@murmuration/client';
import { fakeClock, memoryTransport, seededRng } from '@murmuration/client/testing';
import { fromBase64url, type Sending } from '@murmuration/shared';
import { linkabilityOf } from '../../collector/src/planning/audit/linkability.ts';
import { type Picture, SEED, seededRandom, show } from './attack.ts';
import { percent } from './figure.ts';

/** Devices, and among how many of them one is looked for. */
const DEVICES = 512;
const CROWDS = [2, 4, 8, 16, 32, 64, 128, 256, DEVICES];
const DAY = 86_400_000;
/** Days between two reports of a metric, and days of each month on which the app is opened: until all reports have left. */
const MONTH = 30;
const OPENED = { together: 1, alone: 7 } as const;

const ask = { epsilon: 1, description: 'a question' } as const;
const kept = { epsilon: 4, renew: 'year' } as const;

/** The schemas that are attacked. */
export const schemas = {
  names: (reports: Sending): Schema<DeviceQuestions> =>
    defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 6, per: 'month' },
      assign: 'random',
      reports,
      metrics: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`m${i}`, flag(ask)])),
    }),
  cohorts: (reports: Sending): Schema<DeviceQuestions> =>
    defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 8, per: 'month' },
      reports,
      metrics: { home: permanent(text(ask), kept), site: permanent(text(ask), kept) },
    }),
};

/** A batch: whose it is, which only the attack's judge looks at, the month, and what it shows. */
interface Shown {
  readonly device: number;
  readonly month: number;
  readonly key: string;
}

/** The batches of a device in two months. Each opening of the app is a new page. */
async function batchesOf(schema: Schema<DeviceQuestions>, device: number, seed: number): Promise<readonly Shown[]> {
  const [storage, clock, shown] = [memoryStorage(), fakeClock(new Date('2026-11-20')), [] as Shown[]];
  const start = clock.now();
  for (const [i, day] of [0, 1]
    .flatMap((month) => Array.from({ length: OPENED[schema.document.reports] }, (_, each) => month * MONTH + each))
    .entries()) {
    clock.set(new Date(start + day * DAY));
    const { transport, uploads } = memoryTransport(schema);
    const rng = seededRng((seed * DEVICES + device) * 64 + i);
    const telemetry = createTelemetry({ schema, endpoint: '/', consent: 'granted', debug: false, storage, transport, clock, rng });
    for (const [metric, { permanent: permanence }] of Object.entries(schema.document.metrics)) {
      telemetry.record(metric, (permanence ? 'page' : true) as never);
    }
    await telemetry.close();
    for (const { body } of uploads) {
      const { reports } = JSON.parse(body) as { readonly reports: readonly (readonly [metric: string, report: string])[] };
      // The first byte of a text's report is its cohort, the others are bits.
      const partOf = (metric: string, report: string): string =>
        schema.document.metrics[metric]?.permanent ? `${metric} ${fromBase64url(report)[0]}` : metric;
      const parts = reports.map(([metric, report]) => partOf(metric, report));
      shown.push({ device, month: day < MONTH ? 0 : 1, key: parts.sort().join() });
    }
  }
  return shown;
}

/** Searches for the batches of a month before, so many of which were right. */
export interface Joined {
  readonly crowd: number;
  readonly searches: number;
  readonly right: number;
  /** The expected number of right guesses, given what the batches show. */
  readonly expected: number;
}

/** What came out, for batches that are sent together and alone. */
export interface Batches {
  readonly names: { readonly [S in Sending]: readonly Joined[] };
  readonly cohorts: { readonly [S in Sending]: readonly Joined[] };
}

/** Guesses, for each batch of the second month, one of the first that shows the same. */
function join(all: readonly Shown[], uniform: (n: number) => number): readonly Joined[] {
  return CROWDS.map((crowd) => {
    let [searches, right, expected] = [0, 0, 0];
    const crowdOf = ({ device }: Shown): number => Math.floor(device / crowd);
    const first = Map.groupBy(
      all.filter(({ month }) => month === 0),
      (each) => `${crowdOf(each)} ${each.key}`,
    );
    for (const batch of all.filter(({ month }) => month === 1)) {
      const group = first.get(`${crowdOf(batch)} ${batch.key}`) ?? [];
      searches++;
      expected += group.filter(({ device }) => device === batch.device).length / Math.max(1, group.length);
      if (group[uniform(Math.max(1, group.length))]?.device === batch.device) right++;
    }
    return { crowd, searches, right, expected };
  });
}

/** Carries the attack out. */
export async function attack(seed: number): Promise<Batches> {
  const { uniform } = seededRandom(seed);
  const joined = async (schema: Schema<DeviceQuestions>): Promise<readonly Joined[]> => {
    const all: Shown[] = [];
    for (let device = 0; device < DEVICES; device++) all.push(...(await batchesOf(schema, device, seed)));
    return join(all, uniform);
  };
  const both = async (of: (reports: Sending) => Schema<DeviceQuestions>): Promise<Batches['names']> => ({
    together: await joined(of('together')),
    alone: await joined(of('alone')),
  });
  return { names: await both(schemas.names), cohorts: await both(schemas.cohorts) };
}

/** Draws it. */
export function picture({ names, cohorts }: Batches): Picture {
  const at = (found: readonly Joined[]): string => {
    const { right, searches } = found.at(-1) as Joined;
    return percent(right / searches);
  };
  const points = (found: readonly Joined[]) => found.map(({ crowd, right, searches }) => [crowd, right / searches] as const);
  const chart = (title: string, found: Batches['names'], of: (reports: Sending) => Schema<DeviceQuestions>) => ({
    title,
    x: { title: 'devices that report', low: 2, high: DEVICES, logarithmic: true, ticks: [2, 8, 32, 128, 512] },
    y: { title: 'batches that are joined', low: 0, high: 1, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1], label: percent },
    series: [
      { name: 'sent together', role: 'attacked' as const, points: points(found.together) },
      { name: 'sent alone', role: 'ours' as const, points: points(found.alone) },
      {
        name: 'as the audit says',
        role: 'bound' as const,
        points: CROWDS.map((crowd) => [crowd, linkabilityOf(of('together').document, crowd).linked] as const),
      },
    ],
    dots: [{ role: 'bound' as const, points: CROWDS.map((crowd) => [crowd, linkabilityOf(of('alone').document, crowd).linked] as const) }],
  });
  return {
    sentence:
      `Of ${DEVICES} devices, ${at(names.together)} are joined to their batch of the month before by the names of 6 of 12 metrics, and ` +
      `${at(cohorts.together)} by the cohorts of two texts; sent alone, ${at(names.alone)} and ${at(cohorts.alone)} of their reports are.`,
    charts: [chart('names of metrics', names, schemas.names), chart('cohorts of two texts', cohorts, schemas.cohorts)],
  };
}

if (import.meta.main) show('batches', picture(await attack(SEED)));
