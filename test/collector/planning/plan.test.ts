/** What the plan promises is what the estimators give: its errors are their errors, and it finds what it says it finds. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema, flag, permanent, text } from '@murmuration/client';
import { hadamard, hadamardCountMeanSketch, type ListMechanism, localHashing, projective, unary } from '@murmuration/client/mechanisms';
import { momentsOf } from '@murmuration/collector';
import {
  assigned,
  canonicalSchema,
  type KAryLaw,
  kAryLaw,
  listLaw,
  permanentKAryLaw,
  rapporLaw,
  type SchemaDocument,
} from '@murmuration/shared';
import { afterAll, describe, expect, test } from 'vitest';
import { describeQuestion, planQuestion } from '#collector/cli/plan-words.ts';
import { type Counted, countedAt, devicesFor, marginAt, standardErrorAt } from '#collector/estimation/precision.ts';
import { Z95 } from '#collector/estimation/statistics/tails.ts';
import { askedOf } from '#collector/planning/plan/asked.ts';
import { planOf } from '#collector/planning/plan/plan.ts';
import { type Ran, runCommand } from '../../setup/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 12, per: 'month' },
  metrics: {
    dark: flag(ask),
    plan: choice(['free', 'pro', 'team'], ask),
    font: permanent(choice(['serif', 'sans', 'mono'], { ...ask, every: 'day' }), { epsilon: 4, renew: 'year' }),
    word: text(ask),
    home: permanent(text({ ...ask, every: 'day' }), { epsilon: 3, renew: 'year' }),
  },
});
const file = join(folder, 'notes.json');
writeFileSync(file, canonicalSchema(schema.document));
const run = (...args: string[]): Ran => runCommand('plan', ...args);

describe('the ε for an error, where a list names its mechanism', () => {
  const answers = Array.from({ length: 40 }, (_, i) => `answer ${i}`);
  const at = (mechanism: ListMechanism, epsilon: number) =>
    defineSchema({
      app: 'named',
      version: 1,
      budget: { epsilon: 16, per: 'month' },
      metrics: { a: choice(answers, { ...ask, epsilon, mechanism }) },
    }).document;

  test.each([
    hadamard(),
    hadamard({ order: 8 }),
    projective(),
    hadamardCountMeanSketch(),
    localHashing({ buckets: 2 }),
    unary(),
    unary({ symmetric: true }),
  ])('is the least of that mechanism: %#', (mechanism) => {
    const [plan] = planOf(at(mechanism, 1), 100_000, 0.01);
    const epsilon = plan?.epsilonForError as number;
    const margin = (e: number): number => marginAt((at(mechanism, e).metrics['a'] as { readonly law: KAryLaw }).law, 100_000, 0.01);
    expect(margin(epsilon)).toBeLessThanOrEqual(0.01);
    expect(margin(epsilon - 0.01)).toBeGreaterThan(0.01);
  });
});

describe('the errors of a plan', () => {
  test.each([listLaw(2, 1), listLaw(64, 1), listLaw(16, 4), permanentKAryLaw(5, 1, 4)])('are the exact ones of the channel: %o', (law) => {
    const counts = Array.from({ length: 'size' in law ? law.size : 0 }, (_, i) => (i === 0 ? 100 : i === 1 ? 9_900 : 0));
    const { covariance } = momentsOf(law, { counts, others: new Map(), candidates: [] });
    expect(standardErrorAt(law, 10_000, 0.01, 'reports')).toBeCloseTo(Math.sqrt(covariance.get(0, 0)), 12);
    // About all users: these devices are a sample.
    expect(standardErrorAt(law, 10_000, 0.01)).toBeCloseTo(Math.sqrt(covariance.get(0, 0) + (0.01 * 0.99) / 10_000), 12);
  });

  test('of strings are those of optimized unary encoding, and a tenth more at the most for collisions with rare ones', () => {
    for (const law of [rapporLaw(1, 100_000), rapporLaw(1, 100_000, 4)]) {
      const ideal = (4 * Math.E) / (100_000 * (Math.E - 1) ** 2); // Wang et al. 2017, §4.3
      expect(standardErrorAt(law, 100_000, 0) ** 2 / ideal).toBeGreaterThan(1);
      expect(standardErrorAt(law, 100_000, 0) ** 2 / ideal).toBeLessThan(1.13);
    }
  });

  test('halve when devices are four times as many, and the devices for an error are the fewest', () => {
    const law = kAryLaw(2, 1);
    expect(marginAt(law, 40_000, 0.01)).toBeCloseTo(marginAt(law, 10_000, 0.01) / 2, 12);
    const devices = devicesFor(law, 0.01, 0.01) as number;
    expect(marginAt(law, devices, 0.01)).toBeLessThanOrEqual(0.01);
    expect(marginAt(law, devices - 1, 0.01)).toBeGreaterThan(0.01);
  });

  test('are those of the intervals that readers get, where counts are small', () => {
    // 60 devices that report in four weeks: 240 reports at ε 6, a share of 1 %.
    const { low, high } = (countedAt(kAryLaw(2, 6), 240, 0.01, 4) as Counted).judged(3).estimate;
    expect(marginAt(kAryLaw(2, 6), 240, 0.01, 4)).toBeCloseTo((high - low) / 2, 2);
    // However long they report, they are 60 people, of whom hardly one has the answer.
    const settled = (countedAt(kAryLaw(2, 6), 16_320, 0.01, 272) as Counted).judged(203).estimate;
    expect(marginAt(kAryLaw(2, 6), 16_320, 0.01, 272)).toBeCloseTo((settled.high - settled.low) / 2, 3);
    expect(marginAt(kAryLaw(2, 6), 16_320, 0.01, 272)).toBeGreaterThan(0.04);
    expect(marginAt(kAryLaw(2, 6), 240, 0.01, 4)).toBeGreaterThan(1.2 * Z95 * standardErrorAt(kAryLaw(2, 6), 240, 0.01, 'population', 4));
  });

  test('of strings in few cohorts have a floor that no number of devices is below', () => {
    expect(devicesFor(rapporLaw(1, 1_000), 0.0001, 0.01)).toBeNull();
  });
});

describe('the devices that are asked, where metrics are assigned at random', () => {
  const assignedOf = (charges: readonly number[], budget: number): SchemaDocument =>
    defineSchema({
      app: 'notes',
      version: 1,
      assign: 'random',
      budget: { epsilon: budget, per: 'month' },
      metrics: Object.fromEntries(charges.map((epsilon, i) => [`m${i}`, flag({ ...ask, epsilon })])),
    }).document;
  const orders = (names: readonly string[]): readonly (readonly string[])[] =>
    names.length === 0 ? [[]] : names.flatMap((name) => orders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]));
  /** In how many of all orders a device takes each metric, by the device's own rule. */
  const enumerated = ({ metrics, budget }: SchemaDocument): readonly number[] => {
    const all = orders(Object.keys(metrics)).map((order) => assigned(order, metrics, budget));
    return Object.keys(metrics).map((name) => all.filter((taken) => taken.includes(name)).length / all.length);
  };

  test.each([
    [[1, 1, 1, 1, 1], 2],
    [[1, 2, 1, 1], 2],
    [[0.1, 0.2, 0.3, 0.1], 0.3],
    [[1, 2, 3, 4, 5, 6, 7], 9.5],
    [[5, 5, 1, 3], 6],
    [[1, 1.5, 1.5, 2, 0.5, 2, 3], 4],
    [[1, 2], 3],
  ])('are those of the rule that devices go by, over all orders: charges %j, budget %d', (charges, budget) => {
    const schema = assignedOf(charges, budget);
    const { shares, standardError } = askedOf(schema);
    expect(standardError).toBe(0);
    const all = enumerated(schema);
    all.forEach((share, i) => {
      expect(shares.get(`m${i}`)).toBeCloseTo(share, 12);
    });
  });

  test('of n metrics with one charge of which k fit are k in n', () => {
    const { shares } = askedOf(assignedOf(Array(60).fill(0.5), 4));
    for (const share of shares.values()) expect(share).toBeCloseTo(8 / 60, 12);
  });

  test('are simulated where too many sets would have to be followed, within five standard errors of the exact shares', () => {
    const schema = assignedOf([1, 2, 3, 4, 5, 6, 7, 8], 11);
    const [exact, found] = [askedOf(schema), askedOf(schema, 10)];
    expect(found.standardError).toBe(0.00125);
    for (const [name, share] of exact.shares) expect(Math.abs((found.shares.get(name) as number) - share)).toBeLessThan(5 * 0.00125);
  });

  test('are all without it', () => {
    expect([...askedOf(schema.document).shares.values()]).toEqual([1, 1, 1, 1, 1]);
  });

  test('give each metric its reports, and the errors of so many', () => {
    const document = assignedOf([1, 2, 1, 1], 2);
    const file = join(folder, 'assigned.json');
    writeFileSync(file, canonicalSchema(document));
    const { metrics, splitting, assign, askedStandardError } = JSON.parse(run('--schema', file, '--users', '10000', '--json').stdout);
    expect([assign, askedStandardError]).toEqual(['random', 0]);
    expect(metrics.map(({ asked, reports }: { readonly asked: number; readonly reports: number }) => [asked, reports])).toEqual([
      [0.5, 5_000],
      [0.25, 2_500],
      [0.5, 5_000],
      [0.5, 5_000],
    ]);
    const { law } = document.metrics['m1'] as { readonly law: KAryLaw };
    expect(metrics[1].margin95).toBe(marginAt(law, 2_500, 0.01));
    expect(marginAt(law, metrics[1].devicesForError / 4, 0.01)).toBeLessThanOrEqual(0.01);
    expect(marginAt(law, metrics[1].devicesForError / 4 - 1, 0.01)).toBeGreaterThan(0.01);
    // All four at 2/5 of their ε, and 10,000 reports of each.
    expect(splitting.scale).toBeCloseTo(0.4, 12);
    const wider = [1, 2].map((epsilon, i) => marginAt(kAryLaw(2, 0.4 * epsilon), 10_000, 0.01) / metrics[i].margin95);
    expect(splitting.wider[0]).toBeCloseTo(Math.min(...wider), 12);
    expect(splitting.wider[1]).toBeCloseTo(Math.max(...wider), 12);
  });

  test('are said for people, with what splitting ε would cost', () => {
    const { stdout } = run('--schema', join(folder, 'assigned.json'), '--users', '10000');
    expect(stdout).toContain('With 10,000 users, each asked a random part of the metrics:');
    expect(stdout).toMatch(/^m1 +k-ary +2 +25 % /m);
    expect(stdout).toContain('in whose random order the metric fits the budget, exactly');
    expect(stdout).toMatch(
      /^Were all devices asked everything, at ε times 0\.4 so that it fits, ± would be 1\.\d to \d\.\d times as wide\.$/m,
    );
  });
});

describe('murmuration plan', () => {
  test('states each metric, one report and the limit of a permanent one', () => {
    const { status, stdout } = run('--schema', file, '--users', '100000', '--json');
    expect(status).toBe(0);
    const { users, error, share, metrics, usersNeeded } = JSON.parse(stdout);
    expect([users, error, share]).toEqual([100_000, 0.01, 0.01]);
    expect(usersNeeded).toBe(Math.max(...metrics.map(({ devicesForError }: { devicesForError: number }) => devicesForError)));
    expect(metrics.map(({ metric }: { metric: string }) => metric).sort()).toEqual(['dark', 'font', 'home', 'plan', 'word']);
    for (const row of metrics) {
      expect(row.margin95 / row.standardError).toBeCloseTo(1.96, 4);
      // z of 5 % over 1, 3 or 1,000 answers, and 0.84.
      const z = { 1: 1.96, 3: 2.394, 1000: 4.056 }[row.tested as 1 | 3 | 1000] as number;
      expect(row.smallestShare / row.standardError / (z + 0.84)).toBeCloseTo(1, 1);
      // The error is above a point exactly where it takes more ε, and more devices, than there are.
      expect(row.devicesForError > 100_000).toBe(row.margin95 > 0.01);
      expect(row.epsilonForError > row.epsilon).toBe(row.margin95 > 0.01);
    }
    const font = metrics.find(({ metric }: { metric: string }) => metric === 'font');
    expect(font.permanent).toMatchObject({ epsilon: 4, renew: 'year' });
    expect(font.permanent.standardError).toBeCloseTo(standardErrorAt(kAryLaw(3, 4), 100_000, 0.01), 12);
    const word = JSON.parse(run('--schema', file, '--users', '100000', '--error', '0.002', '--json').stdout).metrics.find(
      ({ metric }: { metric: string }) => metric === 'word',
    );
    const { devices, cohorts } = word.suggested;
    expect(cohorts).toBe(rapporLaw(1, devices).cohorts);
    expect(cohorts).toBeGreaterThan(rapporLaw(1, 100_000).cohorts);
    expect(marginAt(rapporLaw(1, devices), devices, 0.01)).toBeLessThanOrEqual(0.002);
    expect(devices).toBeLessThan(word.devicesForError);
  });

  test('says for people what a feature used by 1 % will read as', () => {
    const { status, stdout } = run('--schema', file, '--users', '100000', '--error', '0.005');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^You need [\d,]+ users to see a share of 1 % within ± 0\.5 percentage points in every metric: `\w+` needs the most\.$/m,
    );
    expect(stdout).toContain('With 100,000 users, each answering once:');
    expect(stdout).toMatch(/^dark +k-ary +1 +1 % ± 0\.6 +0\.85 % +1\.\d\d +14\d,\d{3}$/m);
    expect(stdout).toMatch(/^ {2}however often +k-ary +4 +1 % ± 0\.\d+/m);
    expect(stdout).toContain('users for ± 0.5');
    expect(stdout).toMatch(/^word: with `devices: \d+` in the schema, reports are spread over [\d,]+ groups/m);
  });

  test('without users plans for as many as the schema expects', () => {
    expect(run('--schema', file).stdout).toBe(run('--schema', file, '--users', '100000').stdout);
    expect(run('--schema', file, '--reports', '5000').stdout).toBe(run('--schema', file, '--users', '5000').stdout);
  });

  test('finds the smallest budget that meets the wishes of a file', () => {
    const wishes = join(folder, 'wishes.json');
    writeFileSync(wishes, '{ "dark": "2%", "plan": 0.01 }');
    const { status, stdout } = run('--schema', file, '--users', '20000', '--wishes', wishes, '--json');
    const { needed, isWithin, metrics, others } = JSON.parse(stdout);
    const [dark, plan] = metrics.map((each: { readonly needed: number }) => each.needed);
    expect([status, needed, isWithin]).toEqual([0, Math.round(100 * (dark + plan + others)) / 100, true]);
    expect(run('--schema', file, '--users', '20000', '--wishes', wishes).stdout).toMatch(
      new RegExp(`^ε ${needed} per month meets all wishes with 20,000 users. The schema has 12 per month, which is enough.$`, 'm'),
    );
    const few = run('--schema', file, '--users', '20', '--wishes', wishes);
    expect([few.status, few.stderr]).toEqual([1, 'murmuration: No ε up to 16 meets what is wished for dark, plan with 20 users.\n']);
  });

  const wrong = (content: string): string => {
    const path = join(folder, `wrong-${content.length}.json`);
    writeFileSync(path, content);
    return path;
  };
  test.each([
    [['--schema', file, '--wishes', join(folder, 'none.json')], '--wishes: expected a file, got none'],
    [['--schema', file, '--wishes', wrong('[0.1]')], '--wishes: expected JSON of metrics and errors, such as { "plan": "1%" }, got [0.1]'],
    [['--schema', file, '--wishes', wrong('plan: 1%')], '--wishes: expected JSON of metrics and errors'],
    [['--schema', file, '--wishes', wrong('{ "plan": 5 }')], '--wishes: plan: expected a percentage'],
    [['--schema', file, '--wishes', wrong('{ "other": 0.1 }')], '--wishes: expected metrics of the schema, got "other"'],
    [['--wishes', file], '--wishes: expected --schema FILE with it'],
    [[], 'expected --schema FILE, or one question of --flag, --choice, '],
    [['--flag', '--text', '--epsilon', '1'], 'got --flag and --text'],
    [['--flag'], '--epsilon: expected the ε of one report with --flag, such as 1, got none'],
    [['--flag', '--epsilon', '0'], '--epsilon: expected a finite number above 0, got "0"'],
    [['--flag', '--epsilon', '40'], '2 answers: expected an epsilon that 32 bits represent, got 40'],
    [['--flag', '--epsilon', '2', '--permanent', '1'], '--permanent: expected at least --epsilon, 2, got 1'],
    [['--choices', '5', '--epsilon', '1'], '--choices: expected --at-most with it'],
    [['--choice', '5', '--at-most', '2', '--epsilon', '1'], '--at-most: expected --choices with it, got --choice'],
    [['--choices', '5', '--at-most', '9', '--epsilon', '1'], '--at-most: expected a whole number from 1 to 5, got 9'],
    [['--mean', '5', '--epsilon', '1'], '--mean: expected ascending numbers, at least 2, got "5"'],
    [['--mean', '1,2,3', '--epsilon', '1'], '--mean: expected two numbers, the low and the high end, got 3'],
    [['--schema', file, '--epsilon', '1'], '--epsilon: expected none with --schema, whose metrics are planned, got one'],
    [['--schema', file, '--users', '0'], '--users: expected a whole number from 1'],
    [['--schema', file, '--users', '9', '--reports', '9'], '--reports: expected none with --users, which is another name for it, got 9'],
    [['--schema', file, '--error', '2'], '--error: expected a percentage, such as 1%, or a share below 1, such as 0.01, got "2"'],
    [['--schema', file, '--share', 'x'], '--share: expected a percentage, such as 1%, or a share below 1, such as 0.01, got "x"'],
  ])('refuses %j', (args, message) => {
    const { status, stdout, stderr } = run(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('murmuration plan --relay', () => {
  test('says both ε of each question, the error of a local one of the smaller, and nothing of a permanent one', () => {
    const { stdout } = run('--schema', file, '--users', '20000', '--relay');
    expect(stdout).toContain("with reports: 'alone', if all 20,000 are honest, report with the same day and segments, and their times");
    expect(stdout).toMatch(/^dark: ε 0\.0327 \(δ 1e-8\) beside the unconditional ε 1\. .* would be 3\d times as uncertain\.$/m);
    expect(stdout).not.toMatch(/^font: ε 0/m);
    const { relayed } = JSON.parse(run('--schema', file, '--users', '20000', '--relay', '--json').stdout) as {
      readonly relayed: readonly { readonly metric: string; readonly shuffled: number }[];
    };
    expect(relayed.map(({ metric }) => metric)).toEqual(['dark', 'plan', 'word']);
    expect(relayed.every(({ shuffled }) => shuffled > 0.02 && shuffled < 0.04)).toBe(true);
  });

  test('is refused without a schema', () => {
    const { status, stderr } = run('--choice', '3', '--epsilon', '1', '--relay');
    expect([status, stderr]).toEqual([2, expect.stringContaining('--relay: expected --schema FILE with it')]);
  });
});

describe('a question without a schema', () => {
  test('has its answer in the first sentence, and the fewest users that are enough', () => {
    const { status, stdout } = run('--choice', '5', '--epsilon', '1', '--share', '1%', '--error', '0.3%');
    expect(status).toBe(0);
    const needed = devicesFor(listLaw(5, 1), 0.003, 0.01) as number;
    expect(stdout.split('\n')[0]).toBe(
      `You need ${needed.toLocaleString('en')} users to see a share of 1 % within ± 0.3 percentage points.`,
    );
    expect(marginAt(listLaw(5, 1), needed - 1, 0.01)).toBeGreaterThan(0.003);
  });

  test('says what the users that there are will show', () => {
    const { stdout } = run('--flag', '--epsilon', '1', '--users', '5000');
    expect(stdout).toContain('With your 5,000 it reads as: 1 % ± 2.7 percentage points.');
    expect(stdout).toMatch(/^5,000 \(yours\) +1 % ± 2\.7 +3\.8 %$/m);
  });

  const questions: readonly (readonly string[])[] = [
    ['--flag'],
    ['--choice', '5'],
    ['--choice', '1000'],
    ['--choices', '5', '--at-most', '2'],
    ['--joint', '3,2'],
    ['--histogram', '0,10'],
    ['--text'],
    ['--mean', '-5,5'],
    ['--count', '20'],
    ['--distribution', '0,10'],
  ];
  test.each(questions.flatMap((question) => ['0.001', '1', '16'].map((epsilon) => [question, epsilon] as const)))(
    '%j at ε %s has finite numbers',
    (question, epsilon) => {
      const asking = Object.fromEntries(
        question.flatMap((word, i) => {
          if (!word.startsWith('--')) return [];
          const name = word.slice(2) === 'at-most' ? 'atMost' : word.slice(2);
          const value = question[i + 1];
          const numbers = value?.split(',').map(Number) ?? [];
          return [[name, value === undefined ? true : ['choice', 'choices', 'atMost', 'count'].includes(name) ? numbers[0] : numbers]];
        }),
      );
      const plan = planQuestion({ ...asking, epsilon: Number(epsilon) }, { share: 0.01, error: 0.01 }, 1);
      const words = describeQuestion(plan, 1);
      expect(words).not.toMatch(/NaN|Infinity|undefined|null/);
      expect(words).toMatch(/^(You (would )?need|No number of users is enough)/);
      for (const step of plan.steps) expect(Number.isFinite(step.margin95)).toBe(true);
    },
  );

  test('of a text, says the cohorts that as many users have', () => {
    const { cohorts, usersNeeded } = JSON.parse(run('--text', '--epsilon', '2', '--json').stdout);
    expect(cohorts).toBe(rapporLaw(2, usersNeeded).cohorts);
    expect(run('--text', '--epsilon', '2').stdout).toContain(`write \`devices: ${usersNeeded}\` into the schema`);
  });

  test('of a mean, says the margin in its unit', () => {
    expect(run('--mean', '0,200', '--epsilon', '2').stdout).toMatch(
      /^You need \d+,\d+ users to know an average within ± 2 \(1 % of the range\)\.$/m,
    );
  });

  test('that is asked again and again has a margin that it never gets below', () => {
    const { limit, steps, usersNeeded } = JSON.parse(run('--flag', '--epsilon', '1', '--permanent', '3', '--json').stdout);
    expect(limit).toBeCloseTo(marginAt(kAryLaw(2, 3), usersNeeded, 0.01), 12);
    expect(limit).toBeLessThan(steps.find(({ users }: { users: number }) => users === usersNeeded).margin95);
  });
});

test('a share of 1 % of five answers is known within .87 points, from 100,000 users at ε = 1', () => {
  expect(marginAt(listLaw(5, 1), 100_000, 0.01)).toBeCloseTo(0.0087, 4);
});
