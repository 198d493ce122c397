/** Decodes of few reports at a large ε: nearly all cells are empty, and a frequent string's own cells hold little else. */

import { describe, expect, test } from 'vitest';
import { findings } from '#collector/decoding/decode/decode.ts';
import { FLEET_MECHANISMS, type FleetSetting, fleetMapOf, fleetSet } from '../../kit/fleet-set.ts';

function decoded(setting: FleetSetting, seed: number) {
  const set = fleetSet(setting, fleetMapOf(setting), seed);
  return { ...set, ...findings({ counts: set.counts, map: set.map, fdr: 0.05 }) };
}

describe.each(FLEET_MECHANISMS)('%s', (mechanism) => {
  test('finds strings of 8 to 40 % in 3,000 reports at ε 6, and hardly any that nobody has', () => {
    const set = decoded({ mechanism, epsilon: 6, reports: 3_000, spectrum: 'five strings' }, 1);
    // The rarest stands 30 standard errors above 0.
    expect(Array.from(set.isFound.subarray(0, set.listed))).toEqual(Array(set.listed).fill(1));
    expect(Math.max(...set.pValue.subarray(0, set.listed))).toBeLessThan(1e-9);
    // Eight false strings beside five true ones need eight of 500 null p-values below 13 / 500 of 5 %: a probability of 5e-7.
    expect(set.isFound.subarray(set.listed).reduce((sum, is) => sum + is, 0)).toBeLessThan(8);
    expect(set.detectable).toBeLessThan(0.03);
    expect(set.unexplained).toBeLessThan(0.2);
    for (const [v, is] of set.isFound.entries())
      if (is === 1) expect(Math.min(set.low[v] as number, set.typical[v] as number)).toBeGreaterThanOrEqual(1 / 3_000);
  });
});

// Of 500 strings that nobody has, as many were found.
test('string hashing at ε 8 finds few strings that nobody has in 3,000 reports', () => {
  const set = decoded({ mechanism: 'string-hashing', epsilon: 8, reports: 3_000, spectrum: 'Zipf 1.1' }, 2);
  const found = set.isFound.reduce((sum, is) => sum + is, 0);
  const wrong = set.isFound.reduce((sum, is, v) => sum + Number(is === 1 && set.sampled[v] === 0), 0);
  expect(found).toBeGreaterThan(40);
  expect(wrong).toBeLessThan(0.2 * found);
});
