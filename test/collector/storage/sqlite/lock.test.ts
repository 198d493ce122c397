/** One process writes a folder's store at a time: a second one would count again what the first has counted. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { LOCK } from '#collector/storage/files/durable.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { entry, shapes, sum } from '../entries.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-'));
afterAll(() => rmSync(folder, { recursive: true }));

const child = fileURLToPath(new URL('../child.ts', import.meta.url));
const engine = new URL('../sqlite.ts', import.meta.url).href;

test('a second process is refused in one sentence while the first lives, and is let in when it has been killed', async () => {
  const store = await openSqliteStore(folder, shapes);
  const second = spawn(process.execPath, [child, engine, folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  second.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  expect(await once(second, 'exit')).toEqual([1, null]);
  expect(stderr).toContain('expected a store that no other process writes, got one that is in use');
  expect(await store.append(entry('a'))).toBe('counted');
  await store.close();

  const third = spawn(process.execPath, [child, engine, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: third.stdout })) if (line === 'done 0.0') third.kill('SIGKILL');
  const again = await openSqliteStore(folder, shapes);
  expect(await again.append(entry('a'))).toBe('duplicate');
  expect((await sum(again)).reports).toBeGreaterThan(1);
  await again.close();
});

test('a store whose lock somebody has removed is of the process that opens it last; the first one fails, and nothing acknowledged is lost', async () => {
  const place = mkdtempSync(join(tmpdir(), 'murmuration-'));
  const first = await openSqliteStore(place, shapes);
  const acknowledged = Array.from({ length: 50 }, (_, i) => entry(`first ${i}`));
  expect(new Set(await Promise.all(acknowledged.map(first.append)))).toEqual(new Set(['counted']));
  rmSync(join(place, LOCK));
  const second = await openSqliteStore(place, shapes);
  expect(await second.append(entry('second'))).toBe('counted');
  await expect(first.append(entry('late'))).rejects.toThrow();
  expect((await first.failed).message).toContain('another collector has opened this store');
  for (const each of acknowledged) expect(await second.append(each)).toBe('duplicate');
  expect((await sum(second)).reports).toBe(51);
  await second.close();
  await first.close().catch(() => undefined);
  rmSync(place, { recursive: true });
});

test('the first one fails by itself, within seconds, when nobody sends anything', async () => {
  const place = mkdtempSync(join(tmpdir(), 'murmuration-'));
  const first = await openSqliteStore(place, shapes);
  await first.append(entry('a')); // is folded after a second
  rmSync(join(place, LOCK));
  const second = await openSqliteStore(place, shapes);
  expect((await first.failed).message).toContain('another collector has opened this store');
  expect(await second.append(entry('a'))).toBe('duplicate');
  await second.close();
  await first.close().catch(() => undefined);
  rmSync(place, { recursive: true });
});
