/** The sample-ratio check: how often it fails where only a coin decides, with the numbers enumerated, and that arms of unlike sizes fail. */

import { describe, expect, test } from 'vitest';
import { armsPValue, sampleRatioOf } from '#collector/answers/sample-ratio.ts';

/** Its level in these tests. */
const LEVEL = 0.05;
const PLANNED = 60;

/** One coin of a device that reports `most` times: the sums that follow from a sum, each with half of its probability. */
function further(chances: ReadonlyMap<number, number>, most: number): Map<number, number> {
  const next = new Map<number, number>();
  for (const [first, chance] of chances) for (const more of [0, most]) next.set(first + more, (next.get(first + more) ?? 0) + chance / 2);
  return next;
}

describe('where an even coin decides', () => {
  test.each([1, 2, 3, 4])('one look fails at most as often as its level says, with %i reports of each device', (most) => {
    let chances: ReadonlyMap<number, number> = new Map([[0, 1]]);
    for (let devices = 1; devices <= PLANNED; devices++) {
      chances = further(chances, most);
      let failed = 0;
      for (const [first, chance] of chances) if (armsPValue(first, devices * most - first, most, 'once', PLANNED) < LEVEL) failed += chance;
      expect(failed).toBeLessThanOrEqual(LEVEL);
    }
  });

  test.each([1, 2, 3, 4])('all looks together fail at most so often, with %i reports of each device', (most) => {
    let chances: ReadonlyMap<number, number> = new Map([[0, 1]]);
    let failed = 0;
    for (let devices = 1; devices <= 10 * PLANNED; devices++) {
      const kept = new Map<number, number>();
      for (const [first, chance] of further(chances, most))
        if (armsPValue(first, devices * most - first, most, 'always', PLANNED) < LEVEL) failed += chance;
        else kept.set(first, chance);
      chances = kept;
    }
    expect(failed).toBeLessThanOrEqual(LEVEL);
    expect(failed).toBeGreaterThan(0);
  });
});

test('an arm of which a tenth is missing fails, and says that the comparison is void', () => {
  const arm = (reports: number) => ({ tallies: new Map(), ones: [], reports, from: 20_000, to: 20_019 });
  const of = (every: 'day' | 'month', second: number, looks: 'always' | 'once' = 'always') =>
    sampleRatioOf({ every }, [arm(10_000), arm(second)], looks, 20_000);
  expect(of('month', 9_000)).toEqual({
    pValue: expect.closeTo(0, 9),
    isBroken: true,
    verdict: 'void: an even coin does not give 10,000 and 9,000 reports (p < 0.0001), so who reports depends on the arm',
  });
  expect(of('month', 10_050).isBroken).toBe(false);
  // Twenty reports of each device are as few coins, and say less.
  expect([of('day', 9_800).pValue, of('day', 9_800, 'once').pValue].every((each) => each > of('month', 9_800, 'once').pValue)).toBe(true);
});
