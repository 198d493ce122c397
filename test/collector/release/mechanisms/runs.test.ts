/** Each release mechanism, run many times: the error that theory expects, and the stated bound. `npm run bench -- release` runs more. */

import { readdirSync, readFileSync } from 'node:fs';
import { seededRng, words } from '@murmuration/client/testing';
import { expect, test } from 'vitest';
import { normalTail } from '#collector/estimation/statistics/tails.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { atMost } from '../../../proofs/statistics.ts';
import { runs } from './runs.ts';

/** The names that a mechanism's file gives, as in `name: 'geometric'`; for a template, what is before its first `$`. */
const namesIn = (source: string): readonly string[] =>
  [...source.matchAll(/name: (?:design\S+ === 1 \? )?['`]([^'`$]+)/g)].map(([, name]) => (name as string).trim());

test('every mechanism has a run', () => {
  const folder = new URL('../../../../collector/src/release/mechanisms/', import.meta.url);
  const names = readdirSync(folder).flatMap((file) => namesIn(readFileSync(new URL(file, folder), 'utf8')));
  expect(names.length).toBeGreaterThan(8);
  for (const name of names)
    expect(
      runs.some((run) => run.name.includes(name)),
      name,
    ).toBe(true);
});

const FALSE_ALARM = 1e-6;
const RUNS = 400;
const BETA = 0.1;

test.each(runs)('$name ($what) errs as expected, within its bound', ({ draw, bound, expected }) => {
  const random = createRandom(words(seededRng(17)));
  const limit = bound(BETA);
  let [within, sum, square] = [0, 0, 0];
  for (let run = 0; run < RUNS; run++) {
    const { error, figure = 0 } = draw(random);
    within += Number(error <= limit + 1e-9);
    sum += figure;
    square += figure * figure;
  }
  expect(atMost(within, RUNS, 1 - BETA)).toBeGreaterThan(FALSE_ALARM);
  if (expected === undefined) return;
  const mean = sum / RUNS;
  const deviation = Math.sqrt((square / RUNS - mean * mean) / RUNS);
  // The mean of 400 skewed figures is nearly normal; the seed is fixed.
  expect(normalTail(Math.abs(mean - expected.mean) / deviation)).toBeGreaterThan(FALSE_ALARM);
});
