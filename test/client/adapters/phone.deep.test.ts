/** The storage of expo-sqlite under a whole ledger, and on disks as a power loss at each of its syncs may leave them. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStorage } from '@murmuration/client/react-native';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { behaviours, trace } from '../../behaviour/behaviours.ts';
import { chance } from '../../faults/chance.ts';
import { Disk, type Survival } from '../../faults/disk.ts';
import { noRecord } from '../../faults/power.ts';
import { type Event, eventsOf, underStrace } from '../../faults/trace.ts';
import { openDatabase } from './phone.ts';

describe('a ledger in a database of expo-sqlite', async () => {
  behaviours(test, { storage: () => sqliteStorage(() => openDatabase(':memory:')), hasEntropy: true, trace: await trace() });
});

const STEPS = 40;
const NOTES = 'notes';
const DATABASE = 'telemetry.db';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-power-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The system calls of a program that counts, each number noted in the same folder. */
async function recorded(name: string): Promise<AsyncGenerator<Event>> {
  const [at, record] = [join(folder, name), join(folder, `${name}.strace`)];
  await mkdir(at);
  const [strace = '', ...args] = underStrace(record);
  const program = [process.execPath, join(import.meta.dirname, 'phone.ts'), name, at, join(at, NOTES), 'Infinity', `${STEPS}`];
  const child = spawn(strace, [...args, ...program], { stdio: ['ignore', 'ignore', 'inherit'] });
  expect(await once(child, 'exit')).toEqual([0, null]);
  await expect.poll(() => readFile(record, 'utf8')).toContain(`${child.pid} +++ exited with 0`); // strace writes on after the program
  return eventsOf(record, at);
}

/** By how many steps a disk falls short of what was noted before power was lost, for each sync of a program and each note. */
async function losses(name: string): Promise<readonly number[]> {
  const [disk, draw, lost, rebuilt] = [new Disk(), chance(1), [] as number[], join(folder, 'rebuilt')];
  let noted = 0;
  for await (const event of await recorded(name)) {
    if (event.kind === 'unknown') throw new Error(`a call that this test does not know: ${event.call}`);
    const isNote = event.kind === 'write' && event.path.endsWith(NOTES);
    if (isNote) noted = Number(event.bytes.toString());
    const survivals: readonly Survival[] = event.kind === 'sync' || isNote ? ['nothing', () => draw(2) === 0] : [];
    for (const survival of survivals) {
      disk.rebuild(rebuilt, survival);
      const storage = sqliteStorage(() => openDatabase(join(rebuilt, DATABASE)));
      const stored = storage.transact('count', (text = '0') => ({ next: undefined, result: Number.parseInt(text, 10) }));
      lost.push(noted - Number(stored));
      await rm(rebuilt, { recursive: true });
    }
    disk.apply(event);
  }
  return lost;
}

test.skipIf(noRecord())('a power loss at any sync loses no step, and would without the settings of the storage', async () => {
  const kept = await losses('expo-sqlite');
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.filter((steps) => steps > 0)).toEqual([]);
  const defaults = await losses('defaults');
  expect(defaults.filter((steps) => steps > 0).length).toBeGreaterThan(0);
});
