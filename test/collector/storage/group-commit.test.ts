/** Commits beside each other: a second one begins only for a whole group, or beside a slow one. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { batchesOf, createGroupCommit, type Group } from '#collector/storage/group-commit.ts';
import type { Appended } from '#collector/storage/store.ts';
import { entry } from './entries.ts';

interface Running {
  readonly batches: number;
  readonly end: () => Promise<void>;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A group commit whose commits end when they are told to. */
function start(): { readonly commits: Running[]; readonly append: (words?: number) => Promise<void> } {
  const commits: Running[] = [];
  const commit = ({ words }: Group): Promise<readonly Appended[]> =>
    new Promise((resolve) => {
      const starts = batchesOf(words);
      const end = async (): Promise<void> => {
        resolve(starts.map(() => 'counted'));
        await vi.advanceTimersByTimeAsync(1);
      };
      commits.push({ batches: starts.length, end });
    });
  const { append } = createGroupCommit(commit, undefined, { most: 2, patience: 50 });
  let ids = 0;
  const appendSome = async (words = 3): Promise<void> => {
    void append({ ...entry(`${ids++}`), reports: new Int32Array(words) });
    await vi.advanceTimersByTimeAsync(1);
  };
  return { commits, append: appendSome };
}

test('batches that come during a commit share the next', async () => {
  const { commits, append } = start();
  for (let i = 0; i < 4; i++) await append();
  await commits[0]?.end();
  expect(commits.map(({ batches }) => batches)).toEqual([1, 3]);
});

test('a second commit begins beside a slow one, and no third', async () => {
  const { commits, append } = start();
  for (let i = 0; i < 3; i++) await append();
  await vi.advanceTimersByTimeAsync(46);
  expect(commits.length).toBe(1);
  await vi.advanceTimersByTimeAsync(10);
  expect(commits.map(({ batches }) => batches)).toEqual([1, 2]);
  await append();
  await vi.advanceTimersByTimeAsync(200);
  expect(commits.length).toBe(2);
  await commits[1]?.end();
  expect(commits.map(({ batches }) => batches)).toEqual([1, 2, 1]);
});

test('a batch that comes while a commit is slow does not wait', async () => {
  const { commits, append } = start();
  await append();
  await vi.advanceTimersByTimeAsync(100);
  await append();
  expect(commits.map(({ batches }) => batches)).toEqual([1, 1]);
});

test('a whole group does not wait for a commit that has just begun', async () => {
  const { commits, append } = start();
  await append();
  await append(65_536);
  await append();
  expect(commits.map(({ batches }) => batches)).toEqual([1, 1]);
});
