/** Retries: what is repeated, after which pause, and for how long. */

import { afterEach, expect, test, vi } from 'vitest';
import { retry, untilPatienceEnds } from '#collector/base/retry.ts';

afterEach(() => void vi.useRealTimers());

test('work is repeated until it succeeds, after a TypeError, too', async () => {
  const errors: string[] = [];
  let tries = 0;
  const work = async (): Promise<number> => {
    if (++tries < 4) throw new TypeError(`try ${tries}`);
    return tries;
  };
  const result = await retry(work, (error) => {
    errors.push((error as Error).message);
    return errors.length % 2;
  });
  expect(result).toBe(4);
  expect(errors).toEqual(['try 1', 'try 2', 'try 3']);
});

test('work ends with the error that its pauses throw', async () => {
  const final = retry(
    () => Promise.reject(new Error('no right')),
    () => {
      throw new Error('it takes none');
    },
  );
  await expect(final).rejects.toThrow('it takes none');
});

test('an error that may pass is thrown once ten seconds are over, and any other at once', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const [pause, away] = [untilPatienceEnds(), new Error('away')];
  expect(pause(away, true)).toBe(250);
  vi.advanceTimersByTime(10_000);
  expect(pause(away, true)).toBe(250);
  expect(() => pause(away, false)).toThrow(away);
  vi.advanceTimersByTime(1);
  expect(() => pause(away, true)).toThrow(away);
});
