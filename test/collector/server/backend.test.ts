/** A backend is one value: it chooses where a collector stores, and says what only it can do. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectorOptions, createCollector, postgres, sqlite } from '@murmuration/collector';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-backend-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a collector finds with `data` what another left with `storage: sqlite(folder)`, and the reverse', async () => {
  const tokens: string[] = [];
  const ways: readonly Pick<CollectorOptions, 'storage' | 'data'>[] = [
    { storage: sqlite(folder) },
    { data: folder },
    { storage: sqlite(folder) },
  ];
  for (const way of ways) {
    const collector = await createCollector({ schemas: [], ...way });
    await collector.admin.announceFirst((token) => void tokens.push(token));
    expect(collector.admin.token(tokens[0] as string)).toMatchObject({ role: 'admin' });
    expect(collector.store.source).toEqual({ file: join(folder, 'murmuration.sqlite') });
    await collector.close();
  }
  expect(tokens).toHaveLength(1); // only the first start of a folder announces one
});

test('what commands change in a folder is what its collector has', async () => {
  const backend = sqlite(folder);
  expect([backend.admin.exists(), backend.mayHaveStore(), backend.mayKeepSecrets()]).toEqual([false, false, false]);
  await expect(backend.admin.changeExisting(() => 0)).rejects.toThrow(`--data ${folder}: expected a folder that`);
  await expect(backend.openExistingLedger()).rejects.toThrow(`--data ${folder}: expected`);
  await expect(backend.findTallies()).rejects.toThrow(`${folder}: expected a folder with a store, got none`);
  await expect(backend.admin.change(() => JSON.parse('no JSON'))).rejects.toThrow(SyntaxError);
  expect(backend.admin.exists()).toBe(false); // a change that is refused leaves no file
  await (await createCollector({ schemas: [], storage: backend })).close();
  expect([backend.admin.exists(), backend.mayHaveStore(), await backend.closedBefore()]).toEqual([true, true, 0]);
  expect(await backend.findTallies()).toEqual({ file: join(folder, 'murmuration.sqlite') });
});

test('a database is shared, and no message shows its password', () => {
  const url = 'postgres://me:secret@127.0.0.1:1/db';
  const { shared, words } = postgres(url, { views: true });
  expect(shared).toEqual({ source: { postgres: url }, views: true });
  expect(JSON.stringify(words)).not.toContain('secret');
  expect(sqlite(folder).shared).toBeUndefined();
});

test.each<[string, Partial<CollectorOptions>, string]>([
  ['nothing', {}, 'data: expected the folder of the store, or postgres, got neither'],
  ['views in a folder', { data: 'x', views: true }, 'views: expected postgres, too, got none'],
  ['a spill beside a folder', { data: 'x', spill: 'y' }, 'spill: expected postgres beside it, got none'],
])('%s is refused', async (_, options, message) => {
  await expect(createCollector({ schemas: [], ...options })).rejects.toThrow(message);
});
