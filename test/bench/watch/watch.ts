/**
 * `npm run bench -- watch`: how often honest fleets alarm the poisoning watch, the least share of crafted reports that it
 * finds, and what it costs. `--only` takes some of the parts, and the other options say how much each simulates.
 */

import { parseArgs } from 'node:util';
import {
  countMeanSketchLaw,
  hadamardLaw,
  hierarchicalLaw,
  kAryLaw,
  type Law,
  listLaw,
  localHashingLaw,
  mechanismOf,
  projectiveLaw,
  rapporLaw,
  squareWaveLaw,
  stringHashingLaw,
} from '@murmuration/shared';
import { watchOf } from '#collector/estimation/watch/watch.ts';
import { subjects } from '../../conformance/subjects.ts';
import { type Part, type Ran, runParts } from '../../kit/part.ts';
import { ATTACKS, craftedOf, fleetOf, POPULATIONS, watchReports } from '../../kit/watched-fleets.ts';
import { atMost } from '../../proofs/statistics.ts';
import { costOfDays, falseSigns, fleet, robust } from './days.ts';

/** Devices of a fleet. */
const DEVICES = 300;
const LEVELS = [0.01, 0.001] as const;
/** How much above its level chi squared of small classes may be (collector/src/estimation/watch/fit.ts). */
const ROOM = 1.2;
const SUSPICIOUS = 1e-6;
const REPORTS = 20_000;
const SHARES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5] as const;

const part = (title: string, rows: Part['rows'], failures: readonly string[] = []): Part => ({ title, rows, failures, result: rows });

function falseAlarms(perPopulation: number): Part {
  const rows: string[][] = [['mechanism', 'fleets', ...LEVELS.map((level) => `p at most ${level}`)]];
  const failures: string[] = [];
  let [seed, all] = [1, 0];
  const sums = LEVELS.map(() => 0);
  for (const { name, subject } of subjects) {
    let fleets = 0;
    const alarms = LEVELS.map(() => 0);
    for (const law of [...subject.specimen.laws, ...subject.specimen.large] as readonly Law[])
      for (const population of POPULATIONS) {
        const fleet = fleetOf(subject, law, population, seed++);
        for (let i = 0; i < perPopulation; i++) {
          fleets++;
          const { pValue } = watchReports(law, fleet.honest(DEVICES));
          LEVELS.forEach((level, at) => {
            if (pValue <= level) alarms[at] = (alarms[at] as number) + 1;
          });
        }
      }
    LEVELS.forEach((level, at) => {
      const count = alarms[at] as number;
      sums[at] = (sums[at] as number) + count;
      if (1 - atMost(count - 1, fleets, ROOM * level) < SUSPICIOUS)
        failures.push(`${name}: expected at most ${level} of ${fleets} fleets, got ${count}`);
    });
    all += fleets;
    rows.push([name, String(fleets), ...alarms.map((count) => (count / fleets).toFixed(4))]);
  }
  rows.push(['all', String(all), ...sums.map((count) => (count / all).toFixed(5))]);
  return part('honest fleets', rows, failures);
}

/** A law and the name that its row has. */
type Named = readonly [name: string, law: Law];

/** The least share of crafted reports that is found, law by law. */
function power(title: string, laws: readonly Named[]): Part {
  const rows: string[][] = [['law', ...ATTACKS]];
  for (const [name, law] of laws) {
    const leastOf = (attack: (typeof ATTACKS)[number]): string => {
      for (const share of SHARES) {
        const devices = fleet(law, 'zipf', 5);
        const crafted = craftedOf(law, attack, devices, share * REPORTS);
        if (crafted === undefined) return '';
        if (watchReports(law, [...devices.honest((1 - share) * REPORTS), ...crafted]).pValue < SUSPICIOUS) return `${100 * share} %`;
      }
      return 'none';
    };
    rows.push([name, ...ATTACKS.map(leastOf)]);
  }
  return part(title, rows);
}

/** The last large law of each mechanism that has a specimen. */
const EACH = subjects.map(({ name, subject }): Named => [name, subject.specimen.large.at(-1) as Law]);

/** Lists and strings, whose honest reports look most like crafted ones. */
const LISTS: readonly Named[] = [
  ['k-ary, 5 answers', kAryLaw(5, 1)],
  ['k-ary, 24 answers', kAryLaw(24, 1)],
  ['subset, 100 answers', listLaw(100, 1)],
  ['subset, 1,024 answers', listLaw(1_024, 1)],
  ['string hashing, 1,024 cohorts, four strings', stringHashingLaw(1, REPORTS)],
  ['rappor, 32 cohorts, 128 strings', rapporLaw(1, REPORTS)],
];

/** Tallies as even as whole numbers are. */
function evenly(law: Law, reports: number): Parameters<typeof watchOf>[1] {
  const { cohorts, cells } = mechanismOf(law).shape(law);
  const each = Math.floor(reports / cohorts);
  return new Map(
    Array.from({ length: cohorts }, (_, cohort) => [
      cohort,
      { reports: each, cells: new Float64Array(cells).fill(Math.floor(each / cells)) },
    ]),
  );
}

function costs(): Part {
  const laws: readonly Named[] = [
    ['square wave, 64 cells, ε 1', squareWaveLaw(64, 1)],
    ['square wave, 256 cells, ε 1', squareWaveLaw(256, 1)],
    ['hierarchical, 64 cells, ε 1', hierarchicalLaw(64, 1)],
    ['hierarchical, 256 cells, ε 1', hierarchicalLaw(256, 1)],
    ['the default list, 1,024 answers, ε 1', listLaw(1024, 1)],
    ['local hashing, 1,024 answers, ε 1', localHashingLaw(1024, 1)],
    ['hadamard, 1,024 answers, ε 1', hadamardLaw(1024, 1)],
    ['projective, 1,024 answers, ε 1', projectiveLaw(1024, 1)],
    ['count mean sketch, 1,024 answers, ε 1', countMeanSketchLaw(1024, 1)],
    ['rappor, 8,192 cohorts', { ...rapporLaw(1, 1), cohorts: 8192 }],
    ['string hashing, 8,192 cohorts', { ...stringHashingLaw(1, 1), cohorts: 8192 }],
  ];
  const rows: string[][] = [['law', 'cells', 'CPU milliseconds']];
  for (const [what, law] of laws) {
    const { cohorts, cells } = mechanismOf(law).shape(law);
    const tallies = evenly(law, 1e7);
    const times = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      watchOf(law, tallies, [], 1);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }).sort((a, b) => a - b);
    rows.push([what, (cohorts * cells).toLocaleString('en'), (times[2] as number).toFixed(1)]);
  }
  return part('one watch of 10,000,000 reports, the median of five', rows);
}

export async function watch(args: readonly string[]): Promise<Ran> {
  const all = 'rounds,robust,signs,costs,power,lists,falseAlarms';
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: all },
      /** Reports of a metric on a day whose rounds are timed. */
      daily: { type: 'string', default: '200000' },
      /** Runs of a poisoned day. */
      runs: { type: 'string', default: '20' },
      /** Months of honest apps. */
      months: { type: 'string', default: '300' },
      /** Honest fleets of each law and population. */
      fleets: { type: 'string', default: '100' },
    },
  });
  const count = (name: 'daily' | 'runs' | 'months' | 'fleets'): number => {
    const value = Number(values[name]);
    if (!(Number.isSafeInteger(value) && value > 0)) throw new TypeError(`--${name}: expected a whole number above 0, got ${values[name]}`);
    return value;
  };
  const [daily, runs, months, fleets] = [count('daily'), count('runs'), count('months'), count('fleets')];
  return runParts(
    {
      rounds: () => costOfDays(daily),
      robust: () => robust(runs),
      signs: () => falseSigns(months),
      costs,
      power: () => power('the last large law of each mechanism', EACH),
      lists: () => power('lists and strings, ε 1', LISTS),
      falseAlarms: () => falseAlarms(fleets),
    },
    values.only,
    all,
  );
}
