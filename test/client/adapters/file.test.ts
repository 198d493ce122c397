/** The folder as storage, among real processes and threads: stopped, killed and terminated at any moment, they lose no step and double none. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { fileStorage } from '@murmuration/client/node';
import { testStorage } from '@murmuration/client/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { increment } from './counter.ts';

const COUNTER = join(import.meta.dirname, 'counter.ts');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

const programs: ChildProcess[] = [];
afterEach(() => {
  for (const child of programs.splice(0)) child.kill('SIGKILL');
});

let folders = 0;
const freshFolder = (): string => join(folder, `freshFolder ${folders++}`, 'of one person');

const noted = (file: string): number[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : []);
const stored = async (at: string): Promise<number> =>
  fileStorage(at).transact('count', (text) => ({ next: undefined, result: Number(text ?? 0) }));

/**
 * What all of them noted: each number once, and none that was lost. `unheard` are those that may have died between a
 * step and its note, `drafts` those that may have died while taking the lock in a process that lives on.
 */
async function expectCounted(at: string, files: readonly string[], unheard: number, drafts = 0): Promise<void> {
  const numbers = files.flatMap(noted).sort((a, b) => a - b);
  const count = await stored(at);
  expect(numbers.filter((number, i) => number === numbers[i - 1])).toEqual([]);
  expect(count).toBeGreaterThanOrEqual(numbers.at(-1) ?? 0);
  expect(count - numbers.length).toBeGreaterThanOrEqual(0);
  expect(count - numbers.length).toBeLessThanOrEqual(unheard);
  const left = (await readdir(at)).filter((name) => name !== 'count.json');
  expect(left.filter((name) => !name.startsWith(`count.lock.${process.pid}-`))).toEqual([]);
  expect(left.length).toBeLessThanOrEqual(drafts);
}

/** A program that has this package's storage of a folder at hand, and stays until its event loop is empty. */
function program(at: string, script: string): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { fileStorage } from '@murmuration/client/node';
      import { increment } from ${JSON.stringify(COUNTER)};
      const storage = fileStorage(${JSON.stringify(at)});
      ${script}`,
    ],
    { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  programs.push(child);
  return child;
}
const line = async (child: ChildProcess): Promise<string> => String((await once(child.stdout as NodeJS.ReadableStream, 'data'))[0]).trim();
const ended = (child: ChildProcess): Promise<unknown> =>
  (child.exitCode ?? child.signalCode) === null ? once(child, 'exit') : Promise.resolve();

/** Stops within its first step, where it has the lock; `kill('SIGCONT')` lets it go on. */
const STOPS = `let stops = true;
  const result = await storage.transact('count', (text) => {
    if (stops && text !== undefined) {
      stops = false;
      console.log('inside');
      process.kill(process.pid, 'SIGSTOP');
    }
    return increment(text);
  });
  console.log(result);`;

describe('the suite', () => {
  testStorage(test, () => fileStorage(join(folder, 'suite')), {
    unused: () => {
      const at = freshFolder();
      return { storage: fileStorage(at), exists: () => existsSync(join(at, '..')) };
    },
  });
});

test('files and folders are for this user alone, and nothing else stays', async () => {
  const at = freshFolder();
  await fileStorage(at).transact('murmuration:Notes/..', () => ({ next: '{"v":1}', result: undefined }));
  const name = 'murmuration%3a%4eotes%2f%2e%2e.json';
  expect(await readdir(at)).toEqual([name]);
  expect((await stat(join(at, name))).mode & 0o777).toBe(0o600);
  expect((await stat(at)).mode & 0o777).toBe(0o700);
});

test('what is no absence of a file is a failure', async () => {
  const at = join(folder, 'file');
  await writeFile(at, '');
  expect(() => fileStorage(at).transact('key', () => ({ next: 'value', result: undefined }))).toThrow(/ENOTDIR/);
});

test('bytes that are no text are for the update to judge', async () => {
  const at = freshFolder();
  await fileStorage(at).transact('count', increment);
  await writeFile(join(at, 'count.json'), Buffer.from([0x7b, 0xff, 0x22]));
  const seen = await fileStorage(at).transact('count', (text) => ({ next: undefined, result: text }));
  expect(seen).toBe('{\ufffd"');
});

test('a step is done when `transact` returns, unless another holds the lock', async () => {
  const at = freshFolder();
  expect(fileStorage(at).transact('count', increment)).toBe(1);
  const holder = program(at, STOPS);
  expect(await line(holder)).toBe('inside');
  const waiting = [fileStorage(at).transact('count', increment), fileStorage(at).transact('count', increment)];
  expect(waiting.map((step) => typeof step)).toEqual(['object', 'object']);
  holder.kill('SIGKILL');
  expect(await Promise.all(waiting)).toEqual([2, 3]);
  expect(fileStorage(at).transact('count', increment)).toBe(4);
});

test('the lock of a program that was killed is no obstacle: the next step is done at once', async () => {
  const at = freshFolder();
  fileStorage(at).transact('count', increment);
  const holder = program(at, STOPS);
  expect(await line(holder)).toBe('inside');
  holder.kill('SIGKILL');
  await ended(holder);
  expect(await readdir(at)).toContain('count.lock');
  expect(fileStorage(at).transact('count', increment)).toBe(2);
  expect(await readdir(at)).toEqual(['count.json']);
});

test('a lock that holds a folder, whoever put it there, is cleared', async () => {
  const at = freshFolder();
  fileStorage(at).transact('count', increment);
  await mkdir(join(at, 'count.lock', '2147483647-gone', 'inside'), { recursive: true });
  expect(await fileStorage(at).transact('count', increment)).toBe(2);
  expect(await readdir(at)).toEqual(['count.json']);
});

test('a program whose draft is taken away before it has the lock tries again, for another container may not see it live', async () => {
  const at = freshFolder();
  fileStorage(at).transact('count', increment);
  const clearing = program(
    at,
    `import { readdirSync, rmSync } from 'node:fs';
    console.log('clearing');
    for (const end = Date.now() + 3_000; Date.now() < end; )
      for (const name of readdirSync(${JSON.stringify(at)}))
        if (name.startsWith('count.lock.'))
          try { rmSync(${JSON.stringify(at)} + '/' + name, { recursive: true, force: true }); } catch {}`,
  );
  expect(await line(clearing)).toBe('clearing');
  for (let i = 2; i < 100; i++) expect(await fileStorage(at).transact('count', increment)).toBe(i);
  await ended(clearing);
  expect((await readdir(at)).filter((name) => name !== 'count.json')).toEqual([]);
});

test('a program that is stopped for long within a step is passed over, and does it again when it goes on', async () => {
  const at = freshFolder();
  fileStorage(at).transact('count', increment);
  const holder = program(at, STOPS);
  expect(await line(holder)).toBe('inside');
  expect(await fileStorage(at).transact('count', increment)).toBe(2);
  expect(fileStorage(at).transact('count', increment)).toBe(3);
  const said = line(holder);
  holder.kill('SIGCONT');
  expect(await said).toBe('4');
  await ended(holder);
  expect(await stored(at)).toBe(4);
  expect(await readdir(at)).toEqual(['count.json']);
});

test('a program that has nothing else to do stays for a step that waits', async () => {
  const at = freshFolder();
  fileStorage(at).transact('count', increment);
  const holder = program(at, STOPS);
  expect(await line(holder)).toBe('inside');
  const waiter = program(at, `console.log(typeof storage.transact('count', increment));`);
  const end = once(waiter, 'exit');
  expect(await line(waiter)).toBe('object');
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // long enough for one to end that does not stay
  holder.kill('SIGKILL');
  expect(await end).toEqual([0, null]);
  expect(await stored(at)).toBe(2);
});

test('a write that fails leaves what was stored, and no draft', async () => {
  const at = freshFolder();
  fileStorage(at).transact('count', increment);
  const script = `import { fileStorage } from '@murmuration/client/node';
    try {
      fileStorage(${JSON.stringify(at)}).transact('count', () => ({ next: 'x'.repeat(1_000_000), result: undefined }));
    } catch (error) {
      console.log(error.code);
    }`;
  const limited = `ulimit -f 8; exec "$0" --input-type=module -e "$1"`; // no file may grow beyond a few thousand bytes
  const output = execFileSync('sh', ['-c', limited, process.execPath, script], { cwd: import.meta.dirname, encoding: 'utf8' });
  expect(output).toBe('EFBIG\n');
  expect(await stored(at)).toBe(1);
  expect(await readdir(at)).toEqual(['count.json']);
});

test('what a program left that was killed while it took the lock is gone with the first step of the next', async () => {
  const at = freshFolder();
  fileStorage(at).transact('count', increment);
  const child = spawn(process.execPath, ['-e', '']);
  await ended(child);
  const [left, live] = [`count.lock.${child.pid}-left`, `count.lock.${process.pid}-live`];
  for (const name of [left, live]) await mkdir(join(at, name));
  fileStorage(at).transact('count', increment);
  expect((await readdir(at)).sort()).toEqual(['count.json', live]);
});

test('processes that count at once, each killed and begun again, lose nothing and double nothing', async () => {
  const [at, lives] = [freshFolder(), 3];
  const files = Array.from({ length: 4 }, (_, i) => join(folder, `process ${i}`));
  await Promise.all(
    files.map(async (file) => {
      for (let life = 0; life < lives; life++) {
        const before = noted(file).length;
        const child = spawn(process.execPath, [COUNTER, at, file], { stdio: ['ignore', 'ignore', 'inherit'] });
        await expect.poll(() => noted(file).length, { interval: 20 + 13 * life }).toBeGreaterThan(before + 10);
        child.kill('SIGKILL');
        await ended(child);
      }
      const last = spawn(process.execPath, [COUNTER, at, file, '20'], { stdio: ['ignore', 'ignore', 'inherit'] });
      expect(await once(last, 'exit')).toEqual([0, null]);
    }),
  );
  fileStorage(at).transact('count', increment); // clears what those left who died
  await writeFile(join(folder, 'own'), `${await stored(at)}\n`);
  await expectCounted(at, [...files, join(folder, 'own')], files.length * lives);
});

test('threads that count at once, one of them terminated, lose nothing and double nothing', async () => {
  const at = freshFolder();
  const files = Array.from({ length: 4 }, (_, i) => join(folder, `thread ${i}`));
  const [terminated = '', ...rest] = files;
  const endless = new Worker(COUNTER, { workerData: [at, terminated] });
  await Promise.all([
    ...rest.map(async (file) => expect(await once(new Worker(COUNTER, { workerData: [at, file, '100'] }), 'exit')).toEqual([0])),
    expect
      .poll(() => noted(terminated).length, { interval: 10 })
      .toBeGreaterThan(10)
      .then(() => endless.terminate()),
  ]);
  await expectCounted(at, files, 1, 1);
});
