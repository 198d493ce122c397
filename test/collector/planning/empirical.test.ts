/** The empirical audit: shipped randomizers keep their claims, and broken ones are caught. The coins are seeded. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  best,
  choice,
  choices,
  count,
  type DeviceQuestions,
  defineSchema,
  discover,
  flag,
  histogram,
  joint,
  mean,
  permanent,
  text,
} from '@murmuration/client';
import { stringHashing, unary } from '@murmuration/client/mechanisms';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import {
  bigEndian,
  fromBase64url,
  type KAryLaw,
  type Law,
  type MetricDocument,
  mechanismOf,
  type RapporLaw,
  type SchemaDocument,
} from '@murmuration/shared';
import { afterAll, describe, expect, test } from 'vitest';
import { atMost, lowerShare, upperShare } from '#collector/estimation/statistics/counts.ts';
import { type Empirical, empiricalOf } from '#collector/planning/audit/empirical.ts';
import { shippedQuestions } from '#collector/planning/audit/shipped.ts';
import { runCommand } from '../../setup/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-empirical-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RUNS = 20_000;
const about = { description: 'tested' };
type Coins = ReturnType<typeof createCoins>;
const coins = (seed: number): Coins => createCoins(words(seededRng(seed)));

const { document } = defineSchema({
  app: 'tested',
  version: 1,
  devices: 10_000,
  budget: { epsilon: 30, per: 'month' },
  metrics: {
    dark: flag({ epsilon: 1, ...about }),
    plan: choice(['free', 'team', 'pro'], { epsilon: 2, ...about }),
    kept: permanent(choice(['free', 'team', 'pro'], { epsilon: 1, ...about }), { epsilon: 3, renew: 'month' }),
    minutes: mean([0, 60], { epsilon: 1, ...about }),
    home: text({ epsilon: 2, ...about }),
    page: text({ epsilon: 2, mechanism: stringHashing(), ...about }),
    word: discover({ epsilon: 4, longest: 4, ...about }),
  },
});

type Randomizer = (law: never, input: never, coins: Coins) => Uint8Array;

const shipped = shippedQuestions(document);
const randomizerOf = (metric: string): Randomizer => {
  const randomizers = shipped[metric]?.randomizers as { readonly [mechanism: string]: Randomizer };
  return randomizers[document.metrics[metric]?.law.mechanism as string] as Randomizer;
};

/** The question of a metric with another randomizer. */
const withRandomizer = (metric: string, randomizer: Randomizer): DeviceQuestions =>
  ({
    ...shipped,
    [metric]: { ...shipped[metric], randomizers: { [document.metrics[metric]?.law.mechanism as string]: randomizer } },
  }) as never;

const exceeded = ({ metrics }: Empirical): readonly string[] =>
  metrics.flatMap(({ metric, of, holds }) => (holds ? [] : [`${metric}, ${of}`]));

describe('shipped randomizers', async () => {
  const tested = empiricalOf(document, RUNS, shipped, coins(1));

  test.each(tested.metrics.map((each) => [`${each.metric}, ${each.of}`, each] as const))(
    'keep the claim, and the bound shows more than half of it: %s',
    (_, { lowerBound, claim, holds }) => {
      expect(holds).toBe(true);
      expect(lowerBound).toBeLessThanOrEqual(claim);
      expect(lowerBound).toBeGreaterThan(claim / 2);
    },
  );

  test.each(['', '-numbers', '-sets', '-hashing', '-designs', '-assigned'])('keep the claims of the certified questions%s', (name) => {
    const file = new URL(`../../vectors/certificate${name}.json`, import.meta.url);
    const certified = (JSON.parse(readFileSync(file, 'utf8')) as { readonly document: SchemaDocument }).document;
    const { metrics, holds } = empiricalOf(certified, RUNS / 4, shippedQuestions(certified), coins(2));
    expect(holds).toBe(true);
    const stages = Object.entries(certified.metrics).flatMap(([metric, { permanent: kept }]) =>
      (kept ? ['epoch', 'report'] : ['report']).map((of) => ({ metric, of })),
    );
    expect(metrics).toMatchObject(stages);
  });
});

describe('a randomizer is caught that', () => {
  const caught = async (metric: string, questions: DeviceQuestions): Promise<readonly string[]> =>
    exceeded(empiricalOf({ ...document, metrics: { [metric]: document.metrics[metric] as MetricDocument } }, RUNS, questions, coins(3)));

  test('says the truth more often than its law', async () => {
    const honest = randomizerOf('plan') as (law: KAryLaw, input: never, coins: Coins) => Uint8Array;
    const more: Randomizer = (law: KAryLaw, input, thrown) => honest({ ...law, truth: law.truth + 2 ** 28 }, input, thrown);
    expect(await caught('plan', withRandomizer('plan', more))).toEqual(['plan, report']);
  });

  test('sends some of the numbers as they are', async () => {
    const honest = randomizerOf('minutes');
    const outputs = mechanismOf(document.metrics['minutes']?.law as Law).shape(document.metrics['minutes']?.law as Law).cells;
    const some: Randomizer = (law, input: number, thrown) =>
      thrown.uniform(5) === 0 ? bigEndian(Math.round(input * (outputs - 1)), outputs - 1) : honest(law, input as never, thrown);
    expect(await caught('minutes', withRandomizer('minutes', some))).toEqual(['minutes, report']);
  });

  test.each(['home', 'page'])('draws the cohort by the value: %s', async (metric) => {
    const honest = randomizerOf(metric);
    const byValue: Randomizer = (law, input: string, thrown) =>
      honest(law, input as never, {
        ...thrown,
        uniform: (n) => (n === (law as RapporLaw).cohorts ? Number(input === 'a') : thrown.uniform(n)),
      });
    expect(await caught(metric, withRandomizer(metric, byValue))).toEqual([`${metric}, report`]);
  });

  test('stores the truth', async () => {
    expect(
      await caught(
        'kept',
        withRandomizer('kept', (law: KAryLaw, input) => bigEndian(input, law.size - 1)),
      ),
    ).toContain('kept, epoch');
  });

  test('sends what is stored as it is', async () => {
    const respondStored = (_law: Law, symbol: string): Uint8Array => fromBase64url(symbol);
    expect(await caught('kept', { ...shipped, kept: { ...shipped['kept'], respondStored } } as never)).toEqual(['kept, report']);
  });
});

/** Questions whose randomizers are broken for a few values only, far from the ends. */
const sabotaged = defineSchema({
  app: 'tested',
  version: 1,
  devices: 10_000,
  budget: { epsilon: 30, per: 'month' },
  metrics: {
    few: choice(['a', 'b', 'c', 'd', 'e'], { epsilon: 1, mechanism: unary(), ...about }),
    list: choice(['a', 'b', 'c'], { epsilon: 1, ...about }),
    many: choice(
      Array.from({ length: 30 }, (_, i) => `${i}`),
      { epsilon: 1, ...about },
    ),
    sets: choices(['a', 'b', 'c', 'd', 'e', 'f', 'g'], { epsilon: 1, atMost: 3, ...about }),
    both: joint({ a: ['x', 'y', 'z'], b: [true, false] }, { epsilon: 1, ...about }),
    tool: best(['x', 'y', 'z'], { utility: { few: [1, 0, 0], some: [0, 1, 0], many: [0, 0, 1] }, epsilon: 1, ...about }),
    minutes: mean([0, 60], { epsilon: 1, ...about }),
    notes: count(9, { epsilon: 1, ...about }),
    home: text({ epsilon: 2, ...about }),
    start: histogram([10, 20, 30, 40], { epsilon: 1, ...about }),
  },
}).document;

describe('a randomizer that is broken for some values alone', () => {
  const all = shippedQuestions(sabotaged);
  /** Empirical bounds of one metric, whose randomizer gets another input or other coins, or a report of its own. */
  const testOf = (metric: string, broken: (honest: Randomizer) => Randomizer): Empirical => {
    const mechanism = sabotaged.metrics[metric]?.law.mechanism as string;
    const question = all[metric] as DeviceQuestions[string];
    const honest = (question.randomizers as { readonly [mechanism: string]: Randomizer })[mechanism] as Randomizer;
    const questions = { ...all, [metric]: { ...question, randomizers: { [mechanism]: broken(honest) } } } as never;
    return empiricalOf({ ...sabotaged, metrics: { [metric]: sabotaged.metrics[metric] as MetricDocument } }, RUNS, questions, coins(4));
  };
  /** Coins that all fall on one side: each report of an input is the same. */
  const told = (thrown: Coins): Coins => ({ ...thrown, flip: (threshold) => threshold > 2 ** 30, uniform: () => 0 });
  const toldIf =
    (isTold: (input: never) => boolean) =>
    (honest: Randomizer): Randomizer =>
    (law, input, thrown) =>
      honest(law, input, isTold(input) ? told(thrown) : thrown);

  test.each<[string, string, (honest: Randomizer) => Randomizer]>([
    ['a middle answer of five, told truly', 'few', toldIf((input) => input === 2)],
    ['a middle answer of three, told truly', 'list', toldIf((input) => input === 1)],
    ['an answer from the middle of thirty, told truly', 'many', toldIf((input) => input === 10)],
    ['a set of three, sent nearly as it is', 'sets', toldIf((input: readonly number[]) => input.length === 3)],
    ['an empty set, told truly', 'sets', toldIf((input: readonly number[]) => input.length === 0)],
    ['a pair of answers, told truly', 'both', toldIf((input) => input === 3)],
    ['a middle input, told truly', 'tool', toldIf((input) => input === 1)],
    ['numbers inside the range, told truly', 'minutes', toldIf((input) => input > 0.1 && input < 0.9)],
    ['a count of four, told truly', 'notes', toldIf((input) => input > 0.4 && input < 0.5)],
    [
      'a cohort that is the length of the string',
      'home',
      (honest) => (law, input: string, thrown) => {
        let isFirst = true;
        const uniform = (n: number): number => {
          const drawn = isFirst ? input.length % n : thrown.uniform(n);
          isFirst = false;
          return drawn;
        };
        return honest(law, input as never, { ...thrown, uniform });
      },
    ],
    ['a bucket in the middle, told truly', 'start', toldIf((input) => input === 2)],
  ])('is caught: %s', (_, metric, broken) => {
    expect(exceeded(testOf(metric, broken))).toEqual([`${metric}, report`]);
  });

  test('is not seen where it is honest: no claim of any of these questions is exceeded, in a test of size 1e-6', () => {
    const { holds, metrics } = empiricalOf(sabotaged, RUNS, all, coins(5));
    expect(holds).toBe(true);
    expect(metrics.map(({ metric, tried }) => [metric, tried.values, tried.of])).toEqual([
      ['few', 5, 5],
      ['list', 3, 3],
      ['many', 4, 30],
      ['sets', 7, null],
      ['both', 6, 6],
      ['tool', 3, 3],
      ['minutes', 4, null],
      ['notes', 10, 10],
      ['home', 6, null],
      ['start', 5, 5],
    ]);
  });
});

describe('murmuration audit --empirical', () => {
  const write = (name: string, schema: object): string => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(schema));
    return file;
  };
  const file = write('schema.json', document);

  test('adds the test to the audit', () => {
    const { status, stdout, stderr } = runCommand('audit', '--schema', file, '--accept-large', '--empirical', '1000', '--json');
    expect([status, stderr]).toEqual([0, '']);
    const { empirical, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual(JSON.parse(runCommand('audit', '--schema', file, '--accept-large', '--json').stdout));
    expect(empirical).toMatchObject({ runs: 1000, probability: 1e-6, holds: true });
    expect(Object.keys(empirical.metrics[0])).toEqual(['metric', 'of', 'values', 'tried', 'estimate', 'lowerBound', 'claim', 'holds']);
    expect(runCommand('audit', '--schema', file, '--accept-large', '--empirical', '1000').stdout).toContain(
      'A bound below its claim is no proof.',
    );
  });

  test('exits 1 where the randomizer of a law spends more than is claimed', () => {
    const plan = { ...document.metrics['plan'], epsilon: 0.5 };
    const low = write('low.json', { ...document, metrics: { plan } });
    const { status, stdout } = runCommand('audit', '--schema', low, '--accept-large', '--empirical', '4000', '--json');
    const { holds, metrics } = JSON.parse(stdout).empirical;
    expect([status, holds, metrics[0].holds]).toEqual([1, false, false]);
    expect(metrics[0].lowerBound).toBeGreaterThan(0.5);
    expect(runCommand('audit', '--schema', low, '--accept-large', '--empirical', '4000').stdout).toMatch(
      /^plan +a report .* 0\.5 +EXCEEDED$/m,
    );
  });

  test.each(['0', '999', '10000001', '1e4', '-5', '2000.5', ''])('refuses %s runs in one line', (runs) => {
    const { status, stdout, stderr } = runCommand('audit', '--schema', file, '--accept-large', `--empirical=${runs}`);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^murmuration: --empirical: expected a whole number from 1000 to 10000000, got "[^\n]*"\n$/);
  });

  test('does not stand in a certificate', () => {
    const { status, stdout, stderr } = runCommand('audit', '--schema', file, '--accept-large', '--empirical', '1000', '--certificate');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^murmuration: --empirical: expected no --certificate[^\n]*\n$/);
  });
});

test('the bounds of a share are those at which its count becomes improbable', () => {
  const [trials, probability] = [50, 1e-8];
  for (const count of [1, 7, 25, 49]) {
    const [low, high] = [lowerShare(count, trials, probability), upperShare(count, trials, probability)];
    expect(1 - atMost([{ trials, chance: low }], count - 1)).toBeCloseTo(probability, 12);
    expect(atMost([{ trials, chance: high }], count)).toBeCloseTo(probability, 12);
  }
  // All or none in n trials: the n-th root of the probability.
  expect(lowerShare(trials, trials, probability)).toBeCloseTo(probability ** (1 / trials), 9);
  expect(upperShare(0, trials, probability)).toBeCloseTo(1 - probability ** (1 / trials), 9);
  expect([lowerShare(0, trials, probability), upperShare(trials, trials, probability)]).toEqual([0, 1]);
});
