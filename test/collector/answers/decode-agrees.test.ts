/** Decodes beside the estimates of the same reports: neither says what the other one refutes. */

import type { MetricDocument } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { decodeStrings } from '#collector/answers/decoding.ts';
import { estimate } from '#collector/answers/estimates.ts';
import { percent } from '#collector/base/numbers.ts';
import { decimalsFor, hundredths } from '#collector/dashboard/format.ts';
import type { CellCounts } from '#collector/decoding/decode/evidence.ts';
import { FLEET_MECHANISMS, type FleetSetting, fleetMapOf, fleetSet, lawOf, textsOf } from '../../kit/fleet-set.ts';

/** The tallies of a set, as a store has them. */
const talliesOf = ({ cohorts, cells, reports, counts }: CellCounts) =>
  new Map(
    Array.from({ length: cohorts }, (_, cohort) => [
      cohort,
      { reports: reports[cohort] as number, cells: counts.subarray(cohort * cells, (cohort + 1) * cells) },
    ]),
  );

/** Both answers of a set. */
function answersOf(setting: FleetSetting, seed: number) {
  const { reports, epsilon } = setting;
  const texts = textsOf(setting.spectrum);
  const map = fleetMapOf(setting);
  const document = { type: 'text', every: 'once', epsilon, law: lawOf(setting) } as unknown as MetricDocument;
  const metric = { app: 'app', metric: 'word', version: 1, document };
  const evidence = { tallies: talliesOf(fleetSet(setting, map, seed).counts), reports, from: 1, to: 1, ones: [] };
  const verdicts = { looks: 'once', planned: reports } as const;
  const given = { metric, evidence, minimum: 1, verdicts };
  const { answers } = estimate({ ...given, candidates: texts, together: true });
  const listed = texts.map((text) => ({ answer: text, text }));
  return { answers, ...decodeStrings({ ...given, fdr: 0.05, all: false, answers: listed, mapOf: () => map }) };
}

const GRID = [
  [1, 600],
  [1, 6_000],
  [2, 300],
  [3, 100],
  [4, 1_000],
  [6, 60],
  [6, 3_000],
  [8, 600],
] as const;

test.each(FLEET_MECHANISMS.flatMap((mechanism) => GRID.map(([epsilon, reports]) => ({ mechanism, epsilon, reports }))))(
  'finds each string that is significant among all of them: $mechanism, ε $epsilon, $reports reports',
  (setting) => {
    const { answers, fields, strings } = answersOf({ ...setting, spectrum: 'five strings' }, 5);
    const found = new Set(strings.map(({ label }) => label));
    // Bonferroni: the interval at 1 - 5 % / 505 lies above 0.
    const significant = answers.filter(({ together }) => (together?.low ?? 0) > 0).map(({ label }) => label);
    expect(significant.filter((label) => !found.has(label))).toEqual([]);
    if (significant.length > 0) expect(fields.meaning).not.toMatch(/none of|not enough/i);
    // A string is found with a share, as the page and the command show it, and with no claim that it may be 0.
    const decimals = decimalsFor(strings);
    for (const { typical, low } of strings) {
      expect(low).toBeGreaterThan(0);
      expect([Number(hundredths(typical, decimals)), Number.parseFloat(percent(typical))].every((shown) => shown > 0)).toBe(true);
    }
    const { verdict } = fields;
    if (verdict?.interval !== undefined) expect(verdict.interval.low).toBeGreaterThan(0);
  },
);

/** Verdicts on sets of three strings that are as frequent, of which often only one is found. */
const TIED = Array.from({ length: 150 }, (_, seed) => {
  const { fields } = answersOf({ mechanism: 'rappor', epsilon: 4, reports: 300, spectrum: 'tied' }, seed);
  return fields.verdict;
});

test('the verdict on found strings is wrong at most 1 time in 20, though others are as frequent', () => {
  const leads = TIED.filter((verdict) => verdict?.kind === 'lead');
  const misses = TIED.filter(({ answers: [first = ''], interval } = { kind: 'none', answers: [] }) => {
    const truth = ['string 0', 'string 1', 'string 2'].includes(first) ? 0.07 : 0;
    return interval !== undefined && (interval.low > truth || interval.high < truth);
  });
  expect(TIED.filter((verdict) => verdict?.kind === 'close').length).toBeGreaterThan(0);
  // A right rate of 1 in 20 gives more than 23 of 150 with probability 1e-6.
  expect([leads.length, misses.length].filter((wrong) => wrong > 23)).toEqual([]);
});
