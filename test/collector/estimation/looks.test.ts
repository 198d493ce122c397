/** Confidence sequences: the martingale by integration, the width at and around the plan, and exact counts by enumeration of all paths. */

import { describe, expect, test } from 'vitest';
import { difference } from '#collector/answers/rows.ts';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { differenceInterval, intervalOf, intervalsOf, judgedOf } from '#collector/estimation/sequences.ts';
import { countEvidence } from '#collector/estimation/statistics/counts.ts';
import { criticalValue, evidence, PRIOR, pValueOf, TUNED } from '#collector/estimation/statistics/looks.ts';
import { arriving, arrivingList, daily } from '../../kit/looks.ts';
import { uniforms } from '../../kit/random.ts';
import { atMost } from '../../proofs/statistics.ts';

const Z95 = 1.959963984540054;

describe('the normal sequence', () => {
  test('has the likelihood ratio of the mixture as its evidence', () => {
    for (const size of [0.02, 1, 30])
      for (const z of [0, 1.3, -3]) {
        let ratio = 0;
        for (const [weight, wider] of PRIOR) {
          // In units of the standard error: δ from N(0, r), by the middles of narrow steps.
          const deviation = Math.sqrt(TUNED * wider * size);
          const step = Math.min(deviation, 1) / 200;
          const reach = Math.min(8 * deviation, 40);
          for (let delta = -reach + step / 2; delta < reach; delta += step)
            ratio +=
              (weight * step * Math.exp(z * delta - (delta * delta) / 2 - (delta / deviation) ** 2 / 2)) /
              (deviation * Math.sqrt(2 * Math.PI));
        }
        expect(Math.log(ratio)).toBeCloseTo(evidence(z, size), 4);
      }
  });
  test('is at most 1.6 times as wide as the fixed interval from 0.4 to 4 times the planned size, and useful far from it', () => {
    for (let size = 0.4; size <= 4; size *= 1.01) expect(criticalValue(size) / Z95).toBeLessThan(1.6);
    expect(criticalValue(4) / Z95).toBeLessThan(1.6);
    expect(criticalValue(1 / 256) / Z95).toBeLessThan(2.25);
    expect(criticalValue(256) / Z95).toBeLessThan(2);
    expect(criticalValue(0)).toBe(Number.POSITIVE_INFINITY);
  });
  test('rejects exactly where the p-value is at most the level, at all looks and at one', () => {
    for (const looks of ['always', 'once'] as const)
      for (const level of [0.05, 0.01, 0.05 / 60]) {
        const z = criticalValue(0.7, level, looks);
        expect(pValueOf(z, 0.7, looks)).toBeCloseTo(level, 6);
        expect(pValueOf(z * 1.01, 0.7, looks)).toBeLessThan(level);
      }
  });
});

describe('the exact sequence of a count', () => {
  /** P(the evidence against the true chance ever reaches 20 within so many reports), over all paths of the count. */
  function crossing(chance: number, planned: number, reports: number): number {
    let inside = new Map([[0, 1]]);
    let out = 0;
    for (let n = 1; n <= reports; n++) {
      const next = new Map<number, number>();
      for (const [count, mass] of inside) {
        next.set(count, (next.get(count) ?? 0) + mass * (1 - chance));
        next.set(count + 1, (next.get(count + 1) ?? 0) + mass * chance);
      }
      for (const [count, mass] of next) {
        if (mass > 1e-14 && countEvidence(count, n, chance, planned) < Math.log(20)) continue;
        next.delete(count);
        out += mass;
      }
      inside = next;
    }
    return out;
  }
  test.each([
    [0.5, 200],
    [0.02, 200],
    [0.27, 50],
    [0.99, 200],
  ])('of chance %d, tuned to %d reports, misses the truth at any of 400 looks less than 1 time in 20', (chance, planned) => {
    const missed = crossing(chance, planned, 400);
    expect(missed).toBeLessThan(0.05);
    expect(missed).toBeGreaterThan(0.005); // and is no formality
  });
  test('is what a share of few reports has, and nearly the normal one where there are more', () => {
    const { document } = arrivingList([0.5, 0.5], 6);
    const widthAt = (reports: number, count: number) => {
      const tallies = new Map([[0, { reports, cells: Float64Array.of(count, reports - count) }]]);
      const estimates = estimatesOf(document.law, { tallies, perDevice: 1, people: reports, candidates: [] });
      const [judged] = judgedOf(document.law, estimates, reports, { perDevice: 1, people: reports });
      if (!judged) throw new Error('expected an answer');
      const judging = { looks: 'always', planned: 1000 } as const;
      const normal = intervalOf({ estimate: judged.estimate, reports }, judging);
      return [intervalOf(judged, judging), normal] as const;
    };
    const [few, normal] = widthAt(60, 1);
    expect(few.high).toBeGreaterThan(normal.high * 1.05);
    expect(widthAt(4000, 2000)[0]).toEqual(widthAt(4000, 2000)[1]);
  });
});

describe('at all of 20 looks', () => {
  const ROUNDS = 150;
  const { document, shares } = arrivingList([0.3, 0.3, 0.2, 0.1, 0.1], 1);
  const looks = { looks: 'always', planned: 3000 } as const;
  const days = daily(20, 300);
  const judgedAt = (tallies: Parameters<typeof estimatesOf>[1]['tallies'], reports: number) =>
    judgedOf(document.law, estimatesOf(document.law, { tallies, perDevice: 1, people: reports, candidates: [] }), reports, {
      perDevice: 1,
      people: reports,
    });

  test('intervals of a share, and of the difference of two equal groups, miss the truth in at most 1 of 20 metrics', () => {
    const uniform = uniforms(7);
    let [share, equal, together] = [0, 0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const sides = [0, 1].map(() => [...arriving({ document, shares }, days, uniform)]);
      const missed = { share: false, equal: false, together: false };
      for (const [day, tallies] of (sides[0] as (typeof sides)[number]).entries()) {
        const reports = days[day] as number;
        const [a, b] = [tallies, sides[1]?.[day]].map((each) => judgedAt(each as typeof tallies, reports));
        const one = a?.[3];
        const other = b?.[3];
        if (!a || !one || !other) throw new Error('expected answers');
        const { low, high } = intervalOf(one, looks);
        if (low > 0.1 || high < 0.1) missed.share = true;
        const apart = differenceInterval({ a: one, b: other, difference: difference(one.estimate, other.estimate) }, looks);
        if (apart.low > 0 || apart.high < 0) missed.equal = true;
        const all = intervalsOf(a, { ...looks, level: 0.05 / a.length });
        if (all.some((each, i) => each.low > (shares[i] as number) || each.high < (shares[i] as number))) missed.together = true;
      }
      share += Number(missed.share);
      equal += Number(missed.equal);
      together += Number(missed.together);
    }
    for (const count of [share, equal, together]) expect(1 - atMost(count - 1, ROUNDS, 0.05)).toBeGreaterThan(1e-6);
  });
});
