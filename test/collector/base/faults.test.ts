/** A fault keeps its kind on the way out: to a request, to a command, and from another thread. */

import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { asUsage, Failure, Fault, faultOf, StoreAway, StoreFull, UsageError } from '#collector/base/fault.ts';
import { refusal } from '#collector/base/refusal.ts';
import { connect } from '#collector/base/threads.ts';
import { refusalOf } from '#collector/ingest/refuse.ts';
import { UnfitDatabase } from '#collector/storage/postgres/errors.ts';

test.each<[Error, number, string]>([
  [new StoreFull('x'), 507, 'disk-full'],
  [new StoreAway('x'), 503, 'store-away'],
  [new Fault('over-budget', 'expected ε 1, got ε 2'), 403, 'over-budget'],
  [new Fault('in-doubt', 'x'), 409, 'ledger-in-doubt'],
  [new Fault('over', 'x'), 409, 'stream-over'],
  [refusal('busy', 'less', 'more'), 503, 'busy'],
  [new Fault('internal', 'a path on the disk'), 500, 'internal'],
  [new Error('a path on the disk'), 500, 'internal'],
])('%s answers a request with %i %s', (error, status, code) => {
  const answer = refusalOf(error);
  expect([answer.status, answer.code]).toEqual([status, code]);
  expect(JSON.stringify(answer)).not.toContain('a path on the disk');
});

describe('for a command', () => {
  test('invalid input is wrong usage, other errors a failure, and faults stay what they are; each is one line', () => {
    expect(faultOf(new RangeError('a\nb'))).toMatchObject({ kind: 'usage', message: 'a b' });
    expect(faultOf(new UnfitDatabase('x'))).toMatchObject({ kind: 'usage' });
    expect(faultOf(new Error('x'))).toBeInstanceOf(Failure);
    expect(faultOf(new StoreAway('x'))).toMatchObject({ kind: 'away' });
  });

  test('only invalid input becomes wrong usage where a failure is a mistake of the program', () => {
    expect(() => asUsage(new RangeError('x'))).toThrow(UsageError);
    expect(() => asUsage(new TypeError('x'))).toThrow(TypeError);
  });
});

test.each([
  ['a store that does not answer', "new StoreAway('gone')", StoreAway, 'gone'],
  ['a full disk', "new StoreFull('full')", StoreFull, 'full'],
  ['invalid input', "new RangeError('range')", RangeError, 'range'],
  ['another fault', "new Fault('over', 'ended')", Fault, 'ended'],
])('%s is told from another thread as in its own', async (_, thrown, type, message) => {
  const base = new URL('../../../collector/src/base/', import.meta.url);
  const code = `
    import { Fault, StoreAway, StoreFull } from '${new URL('fault.ts', base)}';
    import { serve } from '${new URL('threads.ts', base)}';
    serve(() => { throw ${thrown}; });`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  try {
    const asked = connect<string, string>(worker, 'ended').ask('anything');
    await expect(asked).rejects.toThrow(type);
    await expect(asked).rejects.toThrow(message);
  } finally {
    await worker.terminate();
  }
});
