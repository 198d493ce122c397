/**
 * How often 95 % intervals hold the share or the mean that they are about, among the devices that reported and among all
 * users: enumerated for lists and choices, from drawn tallies for everything else (drawing.ts), and simulated with the shipping client up to
 * 10,000 devices.
 */

import { kAryLaw, type ListLaw, mechanismOf, privSet, type Support, setLaw, subsetLaw, unaryLaw } from '@murmuration/shared';
import { AMONG } from '#collector/estimation/estimate.ts';
import { simulateBest } from '#collector/planning/simulate/best.ts';
import { simulateChoice, simulateChoices } from '#collector/planning/simulate/choice.ts';
import { simulateDistribution } from '#collector/planning/simulate/distribution-question.ts';
import { simulateNumber } from '#collector/planning/simulate/number.ts';
import { averageOf, type Errors, type Simulation } from '#collector/planning/simulate/simulation.ts';
import { simulateText } from '#collector/planning/simulate/strings.ts';
import { type Drawing, drawnCoverage, evenly, falling } from './drawing.ts';
import { drawnCases, NEAR } from './drawn.ts';
import { bitDrawings } from './drawn-bits.ts';
import { enumeratedCoverage } from './enumerated.ts';
import { type Part, percent } from '../part.ts';

/** Coverage of one law's intervals about both. */
export interface Covered {
  readonly name: string;
  readonly reports: number;
  /** The least and the most of all shares where they are enumerated, else both the mean. */
  readonly among: { readonly [A in (typeof AMONG)[number]]: readonly [least: number, most: number] };
  /** What the gate allows more at both ends: 0 where nothing is left to chance. */
  readonly slack: number;
  /** About the devices that reported, the tally does not tell how far people differ, and intervals are on the long side. */
  readonly cautious?: true;
}

const AMONG_BOTH = ['reports', 'population'] as const;

/** What coverage may be. */
const [LEAST, MOST] = [0.93, 0.97];

/**
 * Simulated coverage is a mean of independent rounds, each in [0, 1], so its variance is at most that of as many hits or
 * misses. Five of these standard errors: a false alarm has a probability below 3e-7 at either end.
 */
const slackOf = (rounds: number): number => 5 * Math.sqrt((0.95 * 0.05) / rounds);

const lists: readonly (readonly [name: string, law: ListLaw])[] = [
  ...[0.5, 1, 2, 4].map((epsilon) => [`flag, ε ${epsilon}`, kAryLaw(2, epsilon)] as const),
  ['16 answers, k-ary, ε 1', kAryLaw(16, 1)],
  ['16 answers, k-ary, ε 4', kAryLaw(16, 4)],
  ['5 answers, unary, ε 1', unaryLaw(5, 1)],
  ['64 answers, subset, ε 1', subsetLaw(64, 17, 1)],
];

const SHARES = [0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99];

/** Ends are exact for a count whose variance is below this (exact-ends.ts): they cover 95 % and more, up to all. */
const SMALL = 12;

/** The shares whose counts are not small. */
const largeOf = (shares: readonly number[], { p, q }: Support, reports: number): readonly number[] =>
  shares.filter((share) => reports * (share * p * (1 - p) + (1 - share) * q * (1 - q)) >= SMALL);

/** Lists of so many reports; shares whose counts are small are left out, for there an interval covers more. */
export const enumerated = (reports: number): readonly Covered[] =>
  lists.flatMap(([name, law]) => {
    const support = mechanismOf(law).support(law);
    const shares = largeOf(SHARES, support, reports);
    if (shares.length === 0) return [];
    const [among, population] = AMONG_BOTH.map((each) => {
      const found = shares.map((share) => enumeratedCoverage(support, reports, Math.round(share * reports) / reports, each));
      return [Math.min(...found), Math.max(...found)] as const;
    }) as [readonly [number, number], readonly [number, number]];
    return [{ name, reports, among: { reports: among, population }, slack: 0 }];
  });

/** Choices, 2 of 10 answers, the same way: an answer's interval moves with its own count, and is that of drawn people in both cases. */
export const enumeratedSets = (reports: number): readonly Covered[] =>
  [1, 4].map((epsilon) => {
    const support = privSet.support(setLaw(10, 2, epsilon));
    const [among, population] = AMONG_BOTH.map((truth) => {
      const found = largeOf(SHARES.slice(2, -2), support, reports).map((share) =>
        enumeratedCoverage(support, reports, share, 'population', truth),
      );
      return [Math.min(...found), Math.max(...found)] as const;
    }) as [readonly [number, number], readonly [number, number]];
    return { name: `2 of 10 answers, ε ${epsilon}`, reports, among: { reports: among, population }, slack: 0, cautious: true };
  });

const drawings: readonly Drawing[] = [...drawnCases, ...bitDrawings];

/** From so many devices on, drawings of many cells have a quarter of the rounds. */
const MANY = 1_000_000;

/** Every type but lists and choices, over so many rounds of drawn tallies; and all of them together whose intervals are no bounds. */
export function drawn(devices: number, rounds: number, seed = 1, of: readonly Drawing[] = drawings): readonly Covered[] {
  const found = of.map((drawing, i): Covered => {
    const { name, cautious, isLong } = drawing;
    const own = isLong && devices >= MANY ? Math.ceil(rounds / 4) : rounds;
    const { reports, population } = drawnCoverage(drawing, devices, own, 1_000 * seed + i);
    const among = { reports: [reports, reports], population: [population, population] } as const;
    return { name: `${name}, drawn`, reports: devices, among, slack: slackOf(own), ...(cautious && { cautious }) };
  });
  const exact = found.filter(({ cautious }) => !cautious);
  const [reports, population] = AMONG_BOTH.map((each) => averageOf(exact.map(({ among }) => among[each][0]))) as [number, number];
  const among = { reports: [reports, reports], population: [population, population] } as const;
  // A mean of independent means: its variance is the mean of theirs, over their number.
  const slack = Math.sqrt(averageOf(exact.map((each) => each.slack ** 2)) / exact.length);
  return [...found, { name: 'these together', reports: devices, among, slack }];
}

interface Case {
  readonly name: string;
  readonly simulate: (size: Pick<Simulation, 'clients' | 'rounds' | 'seed'>) => unknown;
  readonly cautious?: true;
}

const cases: readonly Case[] = [
  ...[1, 4].flatMap((epsilon): Case[] => [
    {
      name: `mean, ε ${epsilon}`,
      simulate: (size) => simulateNumber({ type: 'mean', range: [0, 1], epsilon, shares: evenly(101), ...size }),
    },
    {
      name: `count to 20, geometric, ε ${epsilon}`,
      simulate: (size) => simulateNumber({ type: 'count', range: [0, 20], epsilon, mechanism: 'geometric', shares: falling(21), ...size }),
    },
    { name: `best of 6, ε ${epsilon}`, simulate: (size) => simulateBest({ utility: NEAR, epsilon, shares: falling(4), ...size }) },
    {
      name: `2 of 10 answers, ε ${epsilon}`,
      simulate: (size) => simulateChoices({ answers: 10, atMost: 2, epsilon, shares: falling(10), ...size }),
      cautious: true,
    },
    {
      name: `dBitFlip, 4 of 20, ε ${epsilon}`,
      simulate: (size) => simulateChoice({ answers: 20, bits: 4, mechanism: 'd-bit-flip', epsilon, shares: falling(20), ...size }),
    },
    { name: `text, rappor, ε ${epsilon}`, simulate: (size) => simulateText({ answers: 20, epsilon, shares: falling(20), ...size }) },
    {
      name: `text, hashing, ε ${epsilon}`,
      simulate: (size) => simulateText({ answers: 20, mechanism: 'string-hashing', epsilon, shares: falling(20), ...size }),
    },
    ...['square-wave', 'hierarchical'].map((mechanism) => ({
      name: `distribution, ${mechanism}, ε ${epsilon}`,
      simulate: (size: Pick<Simulation, 'clients' | 'rounds' | 'seed'>) =>
        simulateDistribution({ range: [0, 1], mechanism, epsilon, shares: falling(16), ...size }),
    })),
  ]),
];

/** Every type but lists, over so many rounds of so many devices. */
export const simulated = (clients: number, rounds: number, seed = 1): readonly Covered[] =>
  cases.map(({ name, simulate, cautious }) => {
    const { coverage95, populationCoverage95 } = simulate({ clients, rounds, seed }) as Omit<Errors, 'coverage95'> & {
      readonly coverage95: number | { readonly below: number };
    };
    const reports = typeof coverage95 === 'number' ? coverage95 : coverage95.below;
    return {
      name,
      reports: clients,
      among: { reports: [reports, reports], population: [populationCoverage95, populationCoverage95] },
      slack: slackOf(rounds),
      ...(cautious && { cautious }),
    };
  });

/** What is wrong with these. */
export const failuresOf = (all: readonly Covered[]): readonly string[] =>
  all.flatMap(({ name, reports, among, slack, cautious }) =>
    AMONG.flatMap((each) => {
      const [least, most] = among[each];
      const highest = cautious && each === 'reports' ? 1 : MOST + slack;
      if (least >= LEAST - slack && most <= highest) return [];
      return [`${name}, ${reports} reports, ${each}: expected 93 to 97 % covered, got ${percent(least)} to ${percent(most)}`];
    }),
  );

const SIZES = [100, 1_000, 10_000, 100_000, 1_000_000];

/** Rounds of drawn tallies. */
const DRAWN = 400;

/** All tables. */
export function targets(): Part {
  const all = [
    ...SIZES.flatMap((reports) => [...enumerated(reports), ...enumeratedSets(reports)]),
    ...SIZES.flatMap((devices) => {
      process.stderr.write(`${DRAWN} drawn tallies of ${devices} devices\n`);
      return drawn(devices, DRAWN);
    }),
    ...(
      [
        [100, 1_000],
        [1_000, 300],
        [10_000, 50],
      ] as const
    ).flatMap(([clients, rounds]) => {
      process.stderr.write(`${rounds} rounds of ${clients} devices\n`);
      return simulated(clients, rounds);
    }),
  ];
  const said = ([least, most]: readonly [number, number]): string =>
    least === most ? percent(least) : `${percent(least)} to ${percent(most)}`;
  return {
    title: 'what 95 % intervals cover, of the devices that reported and of all users',
    failures: failuresOf(all),
    rows: [
      ['law', 'reports', 'of the reports', 'of all users', '+-'],
      ...all.map(({ name, reports, among, slack }) => [
        name,
        String(reports),
        said(among.reports),
        said(among.population),
        slack === 0 ? 'exact' : percent(slack / 5),
      ]),
    ],
    result: all,
  };
}
