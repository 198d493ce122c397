/**
 * The watch day by day: how often an app without liars shows a sign in a month, what a poisoned day does to estimates and to their robust
 * alternatives, and what the rounds cost beside the ingest of the same reports.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kAryLaw, type Law, mechanismOf, piecewiseLaw, rapporLaw, subsetLaw, toBase64url, unaryLaw } from '@murmuration/shared';
import type { MetricLooks } from '#collector/answers/signs.ts';
import { FAMILY_LEVEL, lookAt } from '#collector/answers/signs.ts';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { normSub } from '#collector/estimation/shrunk.ts';
import type { Tallies, Tally } from '#collector/estimation/tally.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { openTallies } from '#collector/storage/tallies.ts';
import { Accumulator } from '#collector/storage/tallying/accumulator.ts';
import { subjects } from '../../conformance/subjects.ts';
import type { Part } from '../../kit/part.ts';
import { DaysInMemory, lookAtAll, PLATFORMS, type Watched } from '../../kit/watched-days.ts';
import { type Fleet, fleetOf, POPULATIONS } from '../../kit/watched-fleets.ts';
import { atMost } from '../../proofs/statistics.ts';

const SUSPICIOUS = 1e-6;
const MONTH = 31;

/** The devices of a law. */
export const fleet = (law: Law, population: (typeof POPULATIONS)[number], seed: number): Fleet =>
  fleetOf((subjects.find(({ name }) => name === law.mechanism) as (typeof subjects)[number]).subject, law, population, seed);

const LAWS: readonly Law[] = [
  kAryLaw(5, 1),
  kAryLaw(2, 1),
  subsetLaw(24, 6, 1),
  unaryLaw(8, 1),
  piecewiseLaw(1, 64, 1),
  { ...rapporLaw(1, 1), cohorts: 8 },
];
const METRICS = LAWS.map((law, i): Watched => ({ name: `m${i}`, law }));

/** Months of honest apps with 40, 80 and 160 reports a day and metric, looked at on each day as it grows. */
export async function falseSigns(months: number): Promise<Part> {
  let alarms = 0;
  let seed = 1;
  for (let app = 0; app < months; app++) {
    const days = new DaysInMemory();
    const known = new Map<string, MetricLooks>();
    const fleets = LAWS.map((law) => fleet(law, POPULATIONS[app % POPULATIONS.length] as (typeof POPULATIONS)[number], seed++));
    let signs = 0;
    for (let day = 100; day < 100 + MONTH; day++)
      for (const part of [1, 1, 2]) {
        for (const [i, { name, law }] of METRICS.entries())
          for (const platform of PLATFORMS) days.add(name, law, day, platform, (fleets[i] as Fleet).honest(20 * part));
        signs = (await lookAtAll(days, METRICS, day, known)).length;
      }
    if (signs > 0) alarms++;
  }
  const isWrong = 1 - atMost(alarms - 1, months, FAMILY_LEVEL) < SUSPICIOUS;
  return {
    title: 'honest apps of 6 metrics',
    rows: [['months', 'with a sign', 'level'], [months, alarms, FAMILY_LEVEL].map(String)],
    result: { months, alarms },
    failures: isWrong ? [`signs: expected at most ${FAMILY_LEVEL} of ${months} months with one, got ${alarms}`] : [],
  };
}

const tallyOf = (law: Law, reports: readonly Uint8Array[]): Tallies => {
  const folder = new Accumulator(mechanismOf(law).shape(law));
  folder.addPayloads(reports.map(toBase64url));
  return folder.tallies();
};

const sharesOf = (law: Law, tallies: Tallies): readonly number[] =>
  estimatesOf(law, { tallies, perDevice: 1, candidates: [] }).map(({ estimate }) => estimate);

/** Sums of days that have one cohort. */
function together(days: readonly Tallies[]): Tallies {
  const cells = new Float64Array((days[0] as Tallies).get(0)?.cells.length ?? 0);
  let reports = 0;
  for (const day of days) {
    const tally = day.get(0) as Tally;
    reports += tally.reports;
    for (let i = 0; i < cells.length; i++) cells[i] = (cells[i] as number) + (tally.cells[i] as number);
  }
  return new Map([[0, { reports, cells }]]);
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/**
 * LDPRecover (Sun et al. 2024, arXiv 2403.09351), with its η = 0.2 fake reports for each honest one: f = (1 + η) f_z - η f_y, then the nearest
 * shares. Without knowledge, the fake reports' total (which the law gives: 1) is spread evenly over the answers with positive estimates; with
 * it, it is on the target.
 */
function recovered(shares: readonly number[], target: number | undefined): readonly number[] {
  const ETA = 0.2;
  const positive = shares.map((share, i) => (target === undefined ? share > 0 : i === target));
  const each = 1 / positive.filter(Boolean).length;
  return normSub(
    shares.map((share, i) => (1 + ETA) * share - (positive[i] ? ETA * each : 0)),
    1,
  );
}

/** The error of estimates of a list of 5 where one of 80 days has 4,000 crafted reports beside 450 honest ones, and of alternatives. */
export function robust(runs: number): Part {
  const law = kAryLaw(5, 1);
  const total = [1, 2, 3, 4, 5].reduce((sum, rank) => sum + 1 / rank, 0);
  const truth = [1, 2, 3, 4, 5].map((rank) => 1 / rank / total);
  const ways: { readonly [way: string]: (days: readonly Tallies[], poisoned: number) => readonly number[] } = {
    'all reports': (days) => sharesOf(law, together(days)),
    LDPRecover: (days) => recovered(sharesOf(law, together(days)), undefined),
    'LDPRecover, which is told the answer': (days, _) => recovered(sharesOf(law, together(days)), 4),
    'median of the days': (days) => truth.map((_, answer) => median(days.map((day) => sharesOf(law, day)[answer] as number))),
    'without the day (exclude=)': (days, poisoned) => sharesOf(law, together(days.filter((_, i) => i !== poisoned))),
  };
  const errors = new Map<string, { poisoned: number; honest: number; attacked: number }>();
  for (let run = 0; run < runs; run++) {
    const devices = fleet(law, 'zipf', 900 + run);
    const last = Uint8Array.of(4);
    const honest = Array.from({ length: 80 }, () => devices.honest(450));
    const clean = honest.map((reports) => tallyOf(law, reports));
    const poisoned = clean.with(40, tallyOf(law, [...(honest[40] as readonly Uint8Array[]), ...Array<Uint8Array>(4_000).fill(last)]));
    for (const [way, estimate] of Object.entries(ways)) {
      const sum = errors.get(way) ?? { poisoned: 0, honest: 0, attacked: 0 };
      errors.set(way, sum);
      const squares = (shares: readonly number[]): number =>
        shares.reduce((all, share, i) => all + (share - (truth[i] as number)) ** 2 / 5, 0);
      const found = estimate(poisoned, 40);
      sum.poisoned += squares(found) / runs;
      sum.honest += squares(estimate(clean, -1)) / runs;
      sum.attacked += (found[4] as number) / runs;
    }
  }
  const points = (value: number): string => (100 * value).toFixed(2);
  const rows = [...errors].map(([way, sum]) => [way, points(Math.sqrt(sum.poisoned)), points(Math.sqrt(sum.honest)), points(sum.attacked)]);
  return {
    title: `one of 80 days poisoned, in points, over ${runs} runs`,
    rows: [['estimate', 'error', 'error without liars', `the attacked answer (${points(truth[4] as number)})`], ...rows],
    result: rows,
    failures: [],
  };
}

/** CPU seconds of work in all threads of this process. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** CPU of a day's rounds against that of storing the day's reports, ten a batch; parsing and HTTP, which cost more, are left out. */
export async function costOfDays(perDay: number): Promise<Part> {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-watch-'));
  const law = kAryLaw(5, 1);
  const schema = 'notes/1/0123456789abcdef';
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const shapes = new Map([[schema, names.map((name) => ({ name, shape: mechanismOf(law).shape(law) }))]]);
  const store = await openSqliteStore(folder, shapes);
  let id = 0;
  const send = async (day: number, each = perDay): Promise<void> => {
    const TOGETHER = 500;
    for (let sent = 0; sent < each; sent += TOGETHER)
      await Promise.all(
        Array.from({ length: Math.min(TOGETHER, each - sent) / 10 }, (_, i) => {
          const name = (id++).toString(16).padStart(32, '0');
          const reports = Int32Array.from(Array.from({ length: 10 * names.length }, (__, j) => [j % names.length, 0, (i + j) % 5]).flat());
          const segment = `{"platform":"${PLATFORMS[i % 2]}"}`;
          return store.append({ schema, day, id: name, segment, reports, count: 10 * names.length, hash: name });
        }),
      );
  };
  const metrics = names.map((metric) => ({
    ...{ app: 'notes', metric, version: 1, schemas: [schema], segments: { platform: PLATFORMS }, document: { law } as never },
  }));
  const known = new Map<string, MetricLooks>();
  const reader = openTallies(store.source);
  const round = async (today: number): Promise<void> => {
    for (const metric of metrics) {
      const before = known.get(metric.metric) ?? { days: new Map(), versions: new Map() };
      known.set(metric.metric, await lookAt({ metric, today, known: before, versions: [] }, reader));
    }
  };
  for (let day = 1_000; day < 1_016; day++) await send(day, 1_000); // rounds read rows, and reports do not make more of them
  await store.fold();
  await round(1_015);
  const ingest = await cpuOf(async () => {
    await send(1_016);
    await store.fold();
  });
  const watched = await cpuOf(async () => {
    for (let i = 0; i < 2; i++) await round(1_016); // one for the new day, one for the growth by a tenth
  });
  await reader.close();
  await store.close();
  rmSync(folder, { recursive: true });
  const share = watched / ingest;
  return {
    title: 'rounds of a day beside its ingest',
    rows: [
      ['reports a day', 'ingest CPU s', 'watch CPU s', 'share'],
      [(perDay * names.length).toLocaleString('en'), ingest.toFixed(2), watched.toFixed(3), `${(100 * share).toFixed(1)} %`],
    ],
    result: { perDay, ingest, watched, share },
    failures: share > 0.02 ? [`rounds: expected at most 2 % of the CPU of ingest, got ${(100 * share).toFixed(1)} %`] : [],
  };
}
