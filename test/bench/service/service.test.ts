/** The benchmark of the service: its options, and its cheapest part. All parts are in the deep tier. */

import { expect, test } from 'vitest';
import { service } from './service.ts';

test('starts are measured and judged', async () => {
  const { result, rows } = await service(['--only', 'starts', '--metrics', '20', '--repeats', '1']);
  expect(result.lines.filter(({ measured }) => !Number.isFinite(measured))).toEqual([]);
  expect(rows.length).toBe(result.lines.length + 1);
  expect(result.lines.some(({ what, target }) => what.includes('ready with 20 metrics') && target !== undefined)).toBe(true);
});

test('options that are none are refused in one line', async () => {
  await expect(service(['--only', 'nothing'])).rejects.toThrow(
    '--only: expected some of attack, year, silent, midnight, starts, got "nothing"',
  );
  await expect(service(['--seconds', '0'])).rejects.toThrow('--seconds: expected a number above 0, got 0');
});
