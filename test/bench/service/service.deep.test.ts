/** The benchmark of the service, in short: it runs, and measures every figure. Nothing here depends on how fast the machine is. */

import { expect, test } from 'vitest';
import { service } from './service.ts';

test('every part of the benchmark measures what it says, and judges as many figures as the aims name', async () => {
  const short = [
    '--seconds',
    '0.2',
    '--days',
    '3',
    '--devices',
    '80',
    '--ids',
    '4000',
    '--metrics',
    '20',
    '--candidates',
    '500',
    '--repeats',
    '1',
  ];
  const { result, rows } = await service(short);
  expect(result.lines.filter(({ measured }) => !Number.isFinite(measured))).toEqual([]);
  expect(rows.length).toBe(result.lines.length + 1);
  const judged = result.lines.filter(({ target }) => target !== undefined).map(({ what }) => what);
  for (const aim of [
    'store at the end',
    'GET /v1/metrics',
    'series by day',
    'do not read',
    'SIGTERM',
    'longest wait',
    'ready with 20 metrics',
  ])
    expect(judged.some((what) => what.includes(aim))).toBe(true);
});
