/** Schemas that are published, retired and read again while the collector runs; and names and numbers of metrics that broke it once. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, createTelemetry, defineSchema, flag, memoryStorage, type Outcome, permanent, text } from '@murmuration/client';
import { type Collector, type CollectorOptions, createCatalog, createCollector } from '@murmuration/collector';
import { canonicalSchema, dayNumber, dayText, type SchemaDocument, toBase64url, wireName } from '@murmuration/shared';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createReload } from '#collector/cli/reload.ts';
import { type PublishedMetric, parseDocument, publish, wireNameOf } from '#collector/schemas/catalog.ts';
import { select } from '#collector/server/http/select.ts';
import { bin, type Ran, runCommand } from '../../setup/command.ts';

const PLANS = ['free', 'pro'];
const make = (version: number, epsilon = 1, budget = 4, plans: readonly string[] = PLANS): SchemaDocument =>
  defineSchema({
    app: 'notes',
    version,
    budget: { epsilon: budget, per: 'month' },
    metrics: { plan: choice(plans as [string, string], { epsilon, description: 'Which plan?' }) },
  }).document;

let folder: string;
let data: string;
let collector: Collector | undefined;
let url: string;

async function open(schemas: readonly SchemaDocument[], options: Partial<CollectorOptions> = {}): Promise<Collector> {
  const opened = await createCollector({ open: true, schemas, data, leastFree: 0, minimum: 1, ...options });
  collector = opened;
  url = await opened.listen(0, '127.0.0.1');
  return opened;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-live-'));
  data = join(folder, 'data');
});
afterEach(async () => {
  await collector?.close();
  collector = undefined;
  rmSync(folder, { recursive: true });
});

let serial = 0;
/** A batch with one report of a metric. */
const batch = (document: SchemaDocument, metric = 'plan'): string =>
  JSON.stringify({
    v: 1,
    schema: wireName(document),
    day: dayText(dayNumber(Date.now())),
    batch: (++serial).toString(16).padStart(32, '0'),
    reports: [[metric, toBase64url(Uint8Array.of(1))]],
  });

async function post(body: string, at: string = url): Promise<string> {
  const response = await fetch(`${at}/v1/reports`, { method: 'POST', body });
  const said = await response.text();
  return `${response.status} ${said && (JSON.parse(said) as { error: string }).error}`.trim();
}

const save = (document: SchemaDocument, name = `${document.app}-${document.version}.json`): string => {
  const file = join(folder, name);
  writeFileSync(file, canonicalSchema(document));
  return file;
};

const schemas = (...args: readonly string[]): Ran => runCommand('schemas', ...args, '--data', data);
const reportsOf = async (metric = 'plan'): Promise<unknown> =>
  ((await (await fetch(`${url}/v1/metrics/${metric}/estimates`)).json()) as { reports?: number }).reports;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a running collector', () => {
  test('says that it serves what is published meanwhile, and that its app has no write key', async () => {
    const [first, other] = [make(1), make(2)];
    const lines: string[] = [];
    const log = pino({ timestamp: false, base: null }, { write: (line: string) => void lines.push(line) });
    await open([first], { open: false, log });
    lines.length = 0;
    expect(schemas('publish', save(other)).status).toBe(0);
    await expect.poll(() => lines.length).toBe(2);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 30, schema: wireName(other), msg: 'a schema was published, and its batches are taken' },
      { level: 40, msg: `no write key for notes, so its batches are refused: murmuration keys create --app notes --data ${data}` },
    ]);
  });

  test('takes batches of a schema that is published meanwhile, and adds up versions with the same law', async () => {
    const [first, second] = [make(1), make(2)];
    await open([first]);
    expect(await post(batch(first))).toBe('204');
    expect(await post(batch(second))).toBe('404 unknown-schema');
    expect(schemas('publish', save(second))).toMatchObject({ status: 0, stdout: `published ${wireName(second)}\n` });
    await expect.poll(() => post(batch(second))).toBe('204');
    expect(await reportsOf()).toBe(2);
    await collector?.close();
    await open([first]);
    expect(await reportsOf()).toBe(2);
    expect(await post(batch(second))).toBe('204');
  });

  test('counts what devices of an app recorded before its schema was published', async () => {
    const schema = defineSchema({
      app: 'early',
      version: 1,
      budget: { epsilon: 4, per: 'month' },
      metrics: { plan: choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' }) },
    });
    await open([]);
    let now = Date.now();
    const statuses: number[] = [];
    const telemetry = createTelemetry({
      schema,
      endpoint: url,
      storage: memoryStorage(),
      clock: { now: () => now, after: () => () => {} },
      transport: async ({ body }) => {
        const status = Number((await post(body)).slice(0, 3));
        statuses.push(status);
        return { status };
      },
    });
    telemetry.consent.grant();
    telemetry.record('plan', 'pro');
    await telemetry.flush();
    expect(schemas('publish', save(schema.document)).status).toBe(0);
    await expect.poll(() => post(batch(schema.document))).toBe('204');
    now += 7_200_000; // longer than a device waits before it sends again
    await telemetry.flush();
    expect([statuses, await reportsOf()]).toEqual([[404, 204], 2]);
    await telemetry.close();
  });

  test('publishing a schema again says that it is published, asks for no acceptance and logs nothing; new descriptions are taken', async () => {
    const [first, second] = [make(1), make(2)];
    const opened = await open([]);
    expect(schemas('publish', save(first)).status).toBe(0);
    expect(schemas('publish', save(second)).status).toBe(0);
    const logged = opened.admin.actions(100, undefined, []).length;
    const again = schemas('publish', save(first), save(second));
    expect(again).toMatchObject({
      status: 0,
      stdout: `published already: ${wireName(first)}\npublished already: ${wireName(second)}\n`,
    });
    expect(opened.admin.actions(100, undefined, [])).toHaveLength(logged);
    const reworded = { ...second, about: { ...second.about, plan: { description: 'Which of the plans?' } } };
    expect(schemas('publish', save(reworded)).stdout).toMatch(`published ${wireName(second)}\nallowed  descriptions`);
  });

  test('starts without any schema of its own, and has what is published', async () => {
    const opened = await open([]);
    const first = make(1);
    schemas('publish', save(first));
    opened.admin.look();
    await expect.poll(() => post(batch(first))).toBe('204');
    expect(await reportsOf()).toBe(1);
  });

  test('answers 410 stop for a retired schema, so that its devices stop asking; what they reported stays readable', async () => {
    const schema = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 4, per: 'month' },
      metrics: { plan: choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' }) },
    });
    const opened = await open([schema.document]);
    expect(await post(batch(schema.document))).toBe('204');
    expect(schemas('retire', wireName(schema.document)).status).toBe(0);
    opened.admin.look();
    await expect.poll(() => post(batch(schema.document))).toBe('410 retired');
    expect(await reportsOf()).toBe(1);
    const outcomes: Outcome[] = [];
    const telemetry = createTelemetry({ schema, endpoint: url, storage: memoryStorage(), onOutcome: (outcome) => outcomes.push(outcome) });
    telemetry.consent.grant();
    telemetry.record('plan', 'pro');
    await telemetry.flush();
    expect(outcomes.map(({ result }) => result)).toEqual(['recorded', 'refused', 'retired']);
    await telemetry.close();
  });

  test('keeps what it has when files contradict what is published', async () => {
    const [first, other] = [make(1), make(1, 2)];
    const opened = await open([first]);
    await expect(opened.updateSchemas([first, other])).rejects.toThrow('expected one schema of version 1');
    expect(await post(batch(first))).toBe('204');
    await opened.updateSchemas([other]);
    expect([await post(batch(first)), await post(batch(other))]).toEqual(['404 unknown-schema', '204']);
  });

  test('a schema that is published against one of its files is left out, and stops neither the rest nor the next start', async () => {
    const [first, against, rest] = [make(1), make(1, 2), make(2)];
    const opened = await open([first]);
    schemas('publish', save(against, 'against.json'));
    schemas('publish', save(rest), '--accept');
    opened.admin.look();
    await expect.poll(() => post(batch(rest))).toBe('204');
    expect([await post(batch(first)), await post(batch(against))]).toEqual(['204', '404 unknown-schema']);
    await opened.close();
    const lines: string[] = [];
    await open([first], { log: pino({}, { write: (line) => void lines.push(line) }) });
    expect([await post(batch(first)), await post(batch(against)), await post(batch(rest))]).toEqual(['204', '404 unknown-schema', '204']);
    expect(lines.join('')).toContain(wireName(against));
  });

  test('reads its files again on SIGHUP, modules too, and a file that is broken changes nothing', async () => {
    const file = join(folder, 'schema.mjs');
    const write = (document: SchemaDocument): void => writeFileSync(file, `export const schema = ${JSON.stringify(document)};`);
    write(make(1));
    const child = spawn(process.execPath, [bin, 'serve', '--open', '--schema', file, '--data', data, '--port', '0', '--least-free', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        said += part;
      });
    const listening = (): string | undefined => /listens on (http\S+)/.exec(said)?.[1];
    await expect.poll(listening).toBeDefined();
    const at = listening() ?? '';
    writeFileSync(file, 'export const schema = 1;');
    child.kill('SIGHUP');
    await expect.poll(() => said).toContain('stay as they were');
    expect(await post(batch(make(1)), at)).toBe('204');
    write(make(2));
    child.kill('SIGHUP');
    await expect.poll(() => post(batch(make(2)), at)).toBe('204');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('reading files again', () => {
  test('goes on one reading at a time, and many signals cost one more', async () => {
    const calls: string[] = [];
    let isReading = false;
    const read = async (file: string): Promise<SchemaDocument> => {
      expect(isReading).toBe(false);
      isReading = true;
      await new Promise((resolve) => setImmediate(resolve));
      isReading = false;
      calls.push(file);
      return make(1);
    };
    const log = { info: () => undefined, error: (error: unknown) => void calls.push(String(error)) };
    const reload = createReload({ updateSchemas: async () => void calls.push('update') }, ['a', 'b'], log, read);
    await Promise.all(Array.from({ length: 10 }, reload));
    expect(calls).toEqual(['a', 'b', 'update', 'a', 'b', 'update']);
    await reload();
    expect(calls).toHaveLength(9);
  });

  test('a file that never loads does not outlive the collector', async () => {
    const [file, pid] = [join(folder, 'schema.mjs'), join(folder, 'pid')];
    writeFileSync(file, `export const schema = ${JSON.stringify(make(1))};`);
    const child = spawn(process.execPath, [bin, 'serve', '--open', '--schema', file, '--data', data, '--port', '0', '--least-free', '0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    await expect.poll(() => said).toContain('listens on');
    const waits = 'setInterval(() => {}, 1000); await new Promise(() => {}); export const schema = 1;';
    writeFileSync(file, `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(pid)}, String(process.pid)); ${waits}`);
    child.kill('SIGHUP');
    const reader = (): number => (existsSync(pid) ? Number(readFileSync(pid, 'utf8')) : 0);
    await expect.poll(reader).toBeGreaterThan(0);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    await expect.poll(() => isAlive(reader())).toBe(false);
  });
});

describe('murmuration schemas', () => {
  const asked = (renew: 'month' | 'year', version: number): SchemaDocument =>
    defineSchema({
      app: 'notes',
      version,
      budget: { epsilon: 4, per: 'month' },
      metrics: { page: permanent(text({ epsilon: 1, every: 'day', description: 'Page?' }), { epsilon: 4, renew }) },
    }).document;

  test.each([
    ['raises ε', make(1), make(2, 2)],
    ['raises the budget', make(1), make(2, 1, 5)],
    ['renews an epoch sooner', asked('year', 1), asked('month', 2)],
  ])('a schema that %s needs --accept, and the log says what was accepted', (_what, before, after) => {
    expect(schemas('publish', save(before)).status).toBe(0);
    const refused = schemas('publish', save(after));
    expect(refused).toMatchObject({ status: 1, stdout: expect.stringMatching(/^NOT published[\s\S]*SPENDS[\s\S]*--accept\n$/) });
    expect(schemas('list').stdout).not.toContain(wireName(after));
    expect(schemas('publish', save(after), '--accept')).toMatchObject({ status: 0, stdout: expect.stringContaining('accepted') });
    expect(schemas('list').stdout).toContain(wireName(after));
  });

  test('a metric that comes back needs --accept as if it had never been away: devices keep what they have spent on it', () => {
    const between = defineSchema({
      app: 'notes',
      version: 2,
      budget: { epsilon: 4, per: 'month' },
      metrics: { dark: flag({ epsilon: 1, description: 'Dark?' }) },
    }).document;
    expect(schemas('publish', save(asked('year', 1)), save(between, 'between.json')).status).toBe(0);
    expect(schemas('publish', save(asked('month', 3)))).toMatchObject({ status: 1, stdout: expect.stringMatching(/SPENDS +page: renew/) });
    expect(schemas('publish', save(asked('year', 3))).status).toBe(0);
  });

  test('all files are published, or none', () => {
    const wrong = make(2, 1, 4, ['pro', 'free']);
    expect(schemas('publish', save(make(1)), save(wrong))).toMatchObject({ status: 1, stdout: expect.stringContaining('append-only') });
    expect(JSON.parse(schemas('list', '--json').stdout)).toEqual({ schemas: [] });
  });

  test('an older version may be published beside a newer one, and is compared with it', () => {
    expect(schemas('publish', save(make(2))).status).toBe(0);
    expect(schemas('publish', save(make(1))).status).toBe(0);
    expect(schemas('publish', save(make(1, 0.5), 'other.json'), '--accept')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('expected a version that is not published yet'),
    });
  });

  test('a retired schema stays retired', () => {
    const document = make(1);
    schemas('publish', save(document));
    expect(schemas('retire', 'notes/1')).toMatchObject({ status: 0, stdout: expect.stringContaining(wireName(document)) });
    expect(schemas('publish', save(document))).toMatchObject({ status: 2, stderr: expect.stringContaining('was not retired') });
    expect(schemas('retire', 'notes/1')).toMatchObject({ status: 2, stderr: expect.stringContaining('not retired yet') });
    expect(schemas('retire', 'notes/7')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected a schema that was published or has reports'),
    });
    expect(schemas('retire', 'notes/7/0123456789abcdef').status).toBe(0);
  });

  test('a schema of a file is retired by app and version once it has reports; without any, the error says what prints its name', async () => {
    const document = make(1);
    await open([document]);
    expect(schemas('retire', 'notes/1')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('as app/version, or any other as its file or as app/version/checksum, got "notes/1"'),
    });
    expect(await post(batch(document))).toBe('204');
    expect(await reportsOf()).toBe(1); // it is in the tallies
    expect(schemas('retire', 'notes/1')).toMatchObject({ status: 0, stdout: expect.stringContaining(wireName(document)) });
    await expect.poll(() => post(batch(document))).toBe('410 retired');
  });

  test('a schema that only a file has is retired by that file, with no reports and beside the collector that serves it', async () => {
    const document = make(1);
    const file = save(document);
    await open([document]);
    expect(schemas('retire', file, '--json')).toMatchObject({ status: 0, stdout: expect.stringContaining(wireName(document)) });
    await expect.poll(() => post(batch(document))).toBe('410 retired');
    expect(schemas('retire', file)).toMatchObject({ status: 2, stderr: expect.stringContaining('not retired yet') });
    writeFileSync(file, 'no schema');
    expect(schemas('retire', file)).toMatchObject({ status: 2, stderr: expect.stringMatching(/^murmuration: schemas retire [^\n]+\n$/) });
    // Other names of the folder are no files.
    expect(schemas('retire', folder)).toMatchObject({ status: 2, stderr: expect.stringContaining('or any other as its file') });
  });

  test('the name of an app alone retires nothing, since retiring is for ever', () => {
    schemas('publish', save(make(1)));
    schemas('publish', save(make(2)));
    expect(schemas('retire', 'notes')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected a schema that was published or has reports'),
    });
    expect(JSON.parse(schemas('list', '--json').stdout)).toMatchObject({ schemas: [{ retired: null }, { retired: null }] });
  });

  test('what is published is compared with retired versions too, whose devices may update to it', async () => {
    schemas('publish', save(make(1)));
    schemas('retire', 'notes/1');
    expect(schemas('publish', save(make(2, 2)))).toMatchObject({ status: 1, stdout: expect.stringContaining('SPENDS') });
    expect(schemas('publish', save(make(1, 1, 4, ['free', 'other']), 'other.json'), '--accept')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('expected a version that is not published yet'),
    });
    await open([]);
  });
});

describe('metrics of any name and number', () => {
  test('a metric with the name of what every object has is reported and read like any other', async () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const strange = defineSchema({
      app: 'constructor',
      version: 1,
      budget: { epsilon: 8, per: 'month' },
      metrics: {
        ...Object.fromEntries(names.map((name) => [name, flag({ epsilon: 1, description: 'Odd?' })])),
        words: text({ epsilon: 1, description: 'Word?' }),
      },
    }).document;
    await open([strange], { candidates: {} });
    for (const name of names) {
      expect(await post(batch(strange, name))).toBe('204');
      expect(await reportsOf(name)).toBe(1);
    }
    expect(await reportsOf('words')).toBe(0);
    for (const path of ['metrics', 'schemas', 'audit']) expect([path, (await fetch(`${url}/v1/${path}`)).status]).toEqual([path, 200]);
    const next = { ...strange, version: 2 };
    expect(schemas('publish', save(strange), save(next))).toMatchObject({ status: 0 });
  });

  test('names on the wire are those of the client, and the work of a start and a read with 10,000 metrics is in proportion', () => {
    const one = make(1);
    expect(wireNameOf(one)).toBe(wireName(one));
    const { plan } = one.metrics;
    const { plan: about } = one.about;
    if (plan === undefined || about === undefined) throw new TypeError('expected a metric');
    const many = (count: number): SchemaDocument => {
      const names = Array.from({ length: count }, (_, i) => `m${i}`);
      return {
        ...one,
        budget: { ...one.budget, epsilon: count },
        metrics: Object.fromEntries(names.map((name) => [name, plan])),
        about: Object.fromEntries(names.map((name) => [name, about])),
      };
    };
    const { metrics } = createCatalog([many(10_000)]);
    expect(metrics).toHaveLength(10_000);
    // Work is counted, not timed: the keys that are looked at for each object.
    let looks = 0;
    const counted = (work: (document: SchemaDocument) => unknown, document: SchemaDocument): number => {
      looks = 0;
      const watch = <T extends object>(value: T): T =>
        new Proxy(value, {
          ownKeys: (target) => {
            looks += Reflect.ownKeys(target).length;
            return Reflect.ownKeys(target);
          },
          get: (target, key) => {
            looks++;
            const member = Reflect.get(target, key) as unknown;
            return typeof member === 'object' && member !== null && !Array.isArray(member) ? watch(member) : member;
          },
        });
      work(watch(document));
      return looks;
    };
    const catalogOf = (document: SchemaDocument): unknown => createCatalog([document]);
    const readOf = (document: SchemaDocument): unknown =>
      select({ schemas: new Map([['notes/1', document]]), metrics }, metrics[0] as PublishedMetric, { version: 1 }, {});
    for (const work of [parseDocument, wireNameOf, catalogOf, publish, readOf])
      expect(counted(work, many(2_000)) / counted(work, many(1_000))).toBeLessThan(2.1);
  });
});
