/**
 * How a string goes with a list: from real devices over HTTP to the reader's answer, and by drawn tallies, whether error bars and the test
 * of independence hold what they promise.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema, joint, text } from '@murmuration/client';
import { createCollector } from '@murmuration/collector';
import { createReader } from '@murmuration/collector/reader';
import { hashString, kAryLaw, type ListLaw, mechanismOf, pairText, rapporLaw, type StringLaw, stringHashingLaw } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Association, associationOf, listsAssociation, within } from '#collector/decoding/association/association.ts';
import type { AnswerLaw } from '#collector/estimation/estimation.ts';
import { device } from '../../client/device.ts';
import { rapporTally, stringHashingTally } from '../../kit/coverage/bit-tallies.ts';
import { uniforms } from '../../kit/coverage/drawing.ts';
import { drawTally } from '../../kit/coverage/drawn.ts';
import { binomial } from '../../kit/coverage/enumerated.ts';
import { multinomialOf } from '../../kit/coverage/multinomial.ts';
import { upperTail } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';

/** How likely a sum of so many squared z-scores is at least as far out, on either side. */
function plausibility(scores: readonly number[]): number {
  const statistic = scores.reduce((sum, z) => sum + z * z, 0);
  const above = upperTail({ statistic, degrees: scores.length });
  return 2 * Math.min(above, 1 - above);
}

const PROFILE = [0.65, 0.35] as const;
/** Listed strings, of which the last 20 are absent; and strings that are not listed. */
const LISTED = [0.3, 0.2, 0.12, 0.08, ...new Array<number>(20).fill(0)];
const OTHERS = [0.1, 0.1, 0.05, 0.05];

/** The association of a drawn tally, whose strings are others in each round. */
function drawn(law: StringLaw, devices: number, round: number, profileOf: (string: number) => readonly number[]): Association {
  const uniform = uniforms(round);
  const hashes = (name: string) => PROFILE.map((_, index) => hashString(pairText(`${name} of ${round}`, index)));
  const texts = LISTED.map((_, s) => hashes(`listed ${s}`));
  const others = OTHERS.flatMap((_, s) => hashes(`other ${s}`));
  const shares = [
    ...LISTED.flatMap((share, s) => profileOf(s).map((part) => share * part)),
    ...OTHERS.flatMap((share) => PROFILE.map((part) => share * part)),
  ];
  const having = multinomialOf(devices, shares, uniform);
  const strings = [...texts.flat(), ...others];
  const tallies =
    law.mechanism === 'rappor' ? rapporTally(law, strings, having, uniform) : stringHashingTally(law, strings, having, uniform);
  return associationOf(law, { tallies, perDevice: 1, people: devices }, texts, false);
}

describe.each<readonly [string, StringLaw, devices: number, rounds: number]>([
  ['rappor', rapporLaw(2, 5_000), 20_000, 60 * EFFORT],
  ['local hashing', stringHashingLaw(3, 500), 3_000, 60 * EFFORT],
])('tallies of %s', (_, law, devices, rounds) => {
  const found = Array.from({ length: rounds }, (_, round) => drawn(law, devices, round + 1, () => PROFILE));

  test('the test of independence rejects as often as its level says', () => {
    for (const level of [0.05, 0.2, 0.5]) {
      const rejected = found.filter(({ independence = 1 }) => independence < level).length;
      const z = (rejected - level * rounds) / Math.sqrt(rounds * level * (1 - level));
      expect(upperTail({ statistic: z * z, degrees: 1 }), `${rejected} of ${rounds} below ${level}`).toBeGreaterThan(1e-6);
    }
  });

  test.each<readonly [string, truth: number, (association: Association) => { readonly estimate: number; readonly standardError: number }]>([
    ['a pair', 0.3 * 0.65, ({ strings }) => strings[0]?.pairs[0]?.share as never],
    ['a rare pair', 0.08 * 0.35, ({ strings }) => strings[3]?.pairs[1]?.share as never],
    ['an absent pair', 0, ({ strings }) => strings[10]?.pairs[1]?.share as never],
    ['a string', 0.3, ({ strings }) => strings[0]?.share as never],
    ['a rare string', 0.08, ({ strings }) => strings[3]?.share as never],
    ['an absent string', 0, ({ strings }) => strings[10]?.share as never],
    ['an answer among those with a string', 0.65, ({ strings }) => strings[0]?.pairs[0]?.within as never],
    ['an answer among those with any', 0.65, ({ found }) => found?.answers[0]?.within as never],
  ])('error bars are those of the errors: %s', (_, truth, of) => {
    const scores = found.map(of).map(({ estimate, standardError }) => (estimate - truth) / standardError);
    expect(plausibility(scores)).toBeGreaterThan(1e-6);
    const mean = scores.reduce((sum, z) => sum + z, 0) / Math.sqrt(rounds);
    expect(upperTail({ statistic: mean * mean, degrees: 1 })).toBeGreaterThan(1e-6);
  });

  test('a string with an answer of its own is noticed, and named first', () => {
    const { independence, outstanding } = drawn(law, devices, 7, (string) => (string === 0 ? [0.2, 0.8] : PROFILE));
    expect(independence).toBeLessThan(1e-6);
    expect(outstanding[0]?.string).toBe(0);
    expect(outstanding.find(({ string, answer }) => string === 0 && answer === 1)?.isMore).toBe(true);
  });
});

/** Shares of six pairs: of two answers, by three. */
const TOGETHER = [0.3, 0.2].flatMap((row) => [0.5, 0.3, 0.2].map((column) => 2 * row * column));

/** The association of two lists, of a drawn tally. */
function drawnLists(law: AnswerLaw, round: number, shares: readonly number[], isAmongReports = false): Association {
  const uniform = uniforms(round);
  const { p, q } = mechanismOf(law as ListLaw).support(law);
  const rows = shares.map((_, x) => shares.map((__, y) => (x === y ? p : q)));
  return listsAssociation(law, { ...drawTally({ shares, rows }, 20_000, uniform), perDevice: 1, people: 20_000 }, 3, isAmongReports);
}

describe('tallies of two lists', () => {
  const law = kAryLaw(6, 2);
  const rounds = 100 * EFFORT;
  const found = Array.from({ length: rounds }, (_, round) => drawnLists(law, round + 1, TOGETHER));

  test('the test of independence rejects as often as its level says', () => {
    for (const level of [0.05, 0.2, 0.5]) {
      const rejected = found.filter(({ independence = 1 }) => independence < level).length;
      const z = (rejected - level * rounds) / Math.sqrt(rounds * level * (1 - level));
      expect(upperTail({ statistic: z * z, degrees: 1 }), `${rejected} of ${rounds} below ${level}`).toBeGreaterThan(1e-6);
    }
  });

  test.each<readonly [string, truth: number, (association: Association) => { readonly estimate: number; readonly standardError: number }]>([
    ['a pair', TOGETHER[1] as number, ({ strings }) => strings[0]?.pairs[1]?.share as never],
    ['a row', 0.4, ({ strings }) => strings[1]?.share as never],
    ['a column', 0.3, ({ found: sums }) => sums?.answers[1]?.share as never],
    ['a column within a row', 0.3, ({ strings }) => strings[1]?.pairs[1]?.within as never],
  ])('error bars are those of the errors: %s', (_, truth, of) => {
    const scores = found.map(of).map(({ estimate, standardError }) => (estimate - truth) / standardError);
    expect(plausibility(scores)).toBeGreaterThan(1e-6);
  });

  test('an answer that goes with another is noticed, and named first', () => {
    const { independence, outstanding } = drawnLists(law, 7, [0.4, 0.1, 0.1, 0.1, 0.1, 0.2]);
    expect(independence).toBeLessThan(1e-6);
    expect(outstanding[0]).toMatchObject({ isMore: expect.any(Boolean) });
    expect(outstanding.find(({ string, answer }) => string === 0 && answer === 0)?.isMore).toBe(true);
  });

  test('about the reports error bars are shorter, and all sums of all pairs are 1', () => {
    const [people, reports] = [drawnLists(law, 3, TOGETHER), drawnLists(law, 3, TOGETHER, true)];
    const errorOf = ({ strings }: Association): number => strings[0]?.pairs[0]?.share.standardError as number;
    expect(errorOf(reports)).toBeLessThan(errorOf(people));
    expect(reports.found?.share.estimate).toBeCloseTo(1, 9);
  });
});

test('without reports or candidates there is nothing to say', () => {
  const law = rapporLaw(2, 5_000);
  const nothing = { strings: [], found: undefined, independence: undefined, outstanding: [] };
  expect(associationOf(law, { tallies: new Map(), perDevice: 1, people: 0 }, [[hashString('a')]], false)).toEqual(nothing);
  const tallies = new Map([[3, { reports: 2, cells: new Float64Array(128) }]]);
  expect(associationOf(law, { tallies, perDevice: 1, people: 2 }, [], false)).toEqual(nothing);
  const few = associationOf(law, { tallies, perDevice: 1, people: 2 }, [['a', 'b'].map(hashString)], false);
  expect(few).toMatchObject({ found: undefined, independence: undefined });
  expect(few.strings[0]?.pairs).toHaveLength(2);
  for (const { share } of few.strings[0]?.pairs ?? []) expect(Object.values(share).every(Number.isFinite)).toBe(true);
});

test('an interval of a ratio covers all where the whole may be 0', () => {
  expect(within(0.001, 0.002, 1e-4, 0, 1e-4)).toMatchObject({ estimate: 0.5, low: 0, high: 1 });
  const { low, high } = within(0.06, 0.1, 1e-6, 0, 1e-6);
  expect(low).toBeLessThan(0.6);
  expect(high).toBeGreaterThan(0.6);
});

test.each([
  [0.1, 0.02],
  [0.1, 0.98],
  [0.4, 0.95],
])('of 300 people of whom %d are in a row, %d of these within it: intervals hold the ratio', (row, ratio) => {
  const people = 300;
  const drawn = (trials: number, chance: number) => {
    const { from, chances } = binomial(trials, chance);
    return [...chances].map((each, i) => [from + i, each] as const);
  };
  let missed = 0;
  for (const [whole, chance] of drawn(people, row)) {
    if (whole === 0) continue;
    for (const [part, within_] of drawn(whole, ratio)) {
      const [a, b] = [part / people, whole / people];
      const { low, high } = within(a, b, (a * (1 - a)) / people, (a * (1 - b)) / people, (b * (1 - b)) / people, 1 / people);
      if (low > ratio || high < ratio) missed += chance * within_;
    }
  }
  expect(missed).toBeLessThan(0.06);
});

const PLANS = ['free', 'pro'] as const;
const PEOPLE = 1_200;

describe('from devices to the reader', () => {
  const schema = defineSchema({
    app: 'notes',
    version: 1,
    budget: { epsilon: 20, per: 'month' },
    devices: PEOPLE,
    metrics: {
      pages: joint({ page: text, plan: PLANS }, { epsilon: 4, description: 'Who opens which page?' }),
      words: joint({ word: text, plan: PLANS, dark: [true, false] }, { epsilon: 4, description: 'Who looks for which word?' }),
      plan: choice(PLANS, { epsilon: 1, description: 'Which plan?' }),
      themes: joint({ plan: PLANS, dark: [true, false] }, { epsilon: 4, description: 'Who uses the dark theme?' }),
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-association-'));
  let url = '';
  let close = async (): Promise<void> => {};
  const counts = new Map<string, number>();

  beforeAll(async () => {
    const collector = await createCollector({
      open: true,
      schemas: [schema.document],
      data: folder,
      candidates: { pages: ['/docs', '/home', '/absent'] },
      now: () => 20_777 * 86_400_000,
      leastFree: 0,
    });
    url = await collector.listen(0, '127.0.0.1');
    close = collector.close;
    const bodies: string[] = [];
    for (let person = 0; person < PEOPLE; person++) {
      const one = device(schema, { seed: 9_000 + person, transport: async ({ body }) => ({ status: bodies.push(body) > 0 ? 204 : 500 }) });
      const page = person % 10 < 4 ? '/docs' : person % 10 < 8 ? '/home' : `/other/${person % 7}`;
      const isPro = page === '/docs' ? person % 20 !== 0 : person % 3 === 0;
      const plan = isPro ? 'pro' : 'free';
      counts.set(`${page} ${plan}`, (counts.get(`${page} ${plan}`) ?? 0) + 1);
      one.telemetry.record('pages', { page, plan });
      one.telemetry.record('themes', { plan, dark: isPro ? person % 4 !== 0 : person % 4 === 0 });
      one.telemetry.record('words', { word: person % 2 === 0 ? 'tea' : 'ink', plan: 'free', dark: person % 4 < 2 });
      await one.telemetry.flush();
    }
    for (let i = 0; i < bodies.length; i += 100) {
      const answers = await Promise.all(bodies.slice(i, i + 100).map((body) => fetch(`${url}/v1/reports`, { method: 'POST', body })));
      expect(answers.map(({ status }) => status).filter((status) => status !== 204)).toEqual([]);
    }
  }, 120_000);
  afterAll(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });

  const reader = () => createReader(schema, { url });

  test('the table, its sums and a sentence say which answer goes with which string', async () => {
    const { strings, found, ...about } = await reader().association('pages', { among: 'reports' });
    expect(about).toMatchObject({ text: 'page', lists: ['plan'], reports: PEOPLE, among: 'reports', page: { total: 3 } });
    expect(strings.map(({ string, isFound }) => [string, isFound]).sort()).toEqual([
      ['/absent', false],
      ['/docs', true],
      ['/home', true],
    ]);
    const check = ({ estimate, standardError }: { readonly estimate: number; readonly standardError: number }, truth: number): void => {
      const z = (estimate - truth) / standardError;
      expect(upperTail({ statistic: z * z, degrees: 1 })).toBeGreaterThan(1e-6);
      expect(standardError).toBeLessThan(0.05);
    };
    const share = (page: string, plan: string): number => (counts.get(`${page} ${plan}`) ?? 0) / PEOPLE;
    for (const { string, answers, ...row } of strings) {
      check(row, share(string, 'free') + share(string, 'pro'));
      for (const each of answers) check(each, share(string, each.label));
    }
    expect(found?.answers.map(({ answer }) => answer)).toEqual(['free', 'pro']);
    for (const each of found?.answers ?? []) check(each, share('/docs', each.label) + share('/home', each.label));
    check(found as never, 0.8);
    expect(about.independence).toBeLessThan(1e-6);
    expect(about.verdict).toMatch(
      /^plan goes with page \(p < 0\.0001\): (free|pro) is given (more|less) often with “\/(docs|home)” \(\d+ %/,
    );
  });

  test('several lists are the columns together', async () => {
    const { strings, lists, found } = await reader().association('words', { candidates: ['ink', 'tea'], limit: 1 });
    expect(lists).toEqual(['plan', 'dark']);
    expect(strings).toHaveLength(1);
    expect(found?.answers.map(({ label }) => label)).toEqual([
      'free, dark: true',
      'free, dark: false',
      'pro, dark: true',
      'pro, dark: false',
    ]);
    expect(found?.answers[0]?.answer).toEqual({ plan: 'free', dark: true });
  });

  test('two lists are rows and columns, and all rows are there', async () => {
    const { strings, lists, text: rows, verdict, found } = await reader().association('themes');
    expect([rows, lists]).toEqual(['plan', ['dark']]);
    expect(strings.map(({ string, isFound }) => [string, isFound]).sort()).toEqual([
      ['free', true],
      ['pro', true],
    ]);
    expect(found?.estimate).toBeCloseTo(1, 9);
    expect(verdict).toMatch(/^dark goes with plan \(p < 0\.0001\): (true|false) is given (more|less) often with “(free|pro)” \(\d+ %/);
  });

  test('without candidates, with too few reports and for other questions it says so', async () => {
    const { verdict, found, independence } = await reader().association('words');
    expect([verdict, found, independence]).toEqual(['no candidates: name the strings of word to look for', null, null]);
    const early = await reader().association('pages', { to: '2020-01-01' });
    expect(early.verdict).toMatch(/^too few reports: 0, and at least \d+ are needed$/);
    await expect(reader().association('plan')).rejects.toThrow('Expected a joint question. Got a choice.');
  });
});
