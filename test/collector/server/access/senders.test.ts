/** Access of senders: write keys of an app, limits by key and by the address that a trusted proxy names, and one report of a metric a batch. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry, memoryStorage, type Outcome, preview } from '@murmuration/client';
import { type Collector, type CollectorOptions, createCollector } from '@murmuration/collector';
import { wireName } from '@murmuration/shared';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWriteKey, revokeCredential } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { batch, schema } from '../../../kit/senders.ts';

let folder: string;
let collector: Collector;
let url: string;

async function open(options: Partial<CollectorOptions> = {}): Promise<void> {
  collector = await createCollector({ schemas: [schema.document], data: folder, ...options });
  url = await collector.listen(0, '127.0.0.1');
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-senders-'));
});

afterEach(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

function newKey(app = 'abuse', perMinute?: number, name?: string): string {
  const database = openAdminDatabase(folder);
  const { secret } = createWriteKey(database, 'test', app, perMinute, name);
  database.close();
  collector.admin.look();
  return secret;
}

async function post(key: string | undefined, body: string = batch(), headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${url}/v1/reports${key === undefined ? '' : `?key=${key}`}`, { method: 'POST', body, headers });
  const text = await response.text();
  return `${response.status}${text && ` ${(JSON.parse(text) as { error: string }).error}`}`;
}

const counted = async (): Promise<number> => (await collector.store.read({ schemas: [wireName(schema.document)], metric: 'plan' })).reports;

describe('write keys', () => {
  test('a batch with a key of its app is counted; without one, with another or a revoked one it is 403 and nothing is counted', async () => {
    await open();
    const key = newKey();
    const others = newKey('other');
    expect(await post(key)).toBe('204');
    for (const wrong of [undefined, '', 'pk_wrong', 'constructor', `${key}x`, others])
      expect([wrong, await post(wrong)]).toEqual([wrong, '403 unknown-key']);
    expect(await counted()).toBe(1);
    const database = openAdminDatabase(folder);
    revokeCredential(database, 'test', key);
    database.close();
    collector.admin.look();
    expect(await post(key)).toBe('403 unknown-key');
    expect(await counted()).toBe(1);
  });

  test('a device keeps its report until the key is there, and then it is counted', async () => {
    await open();
    let now = Date.now();
    let key = 'pk_later';
    const outcomes: Outcome[] = [];
    const telemetry = createTelemetry({
      schema,
      endpoint: url,
      storage: memoryStorage(),
      clock: { now: () => now, after: () => () => {} },
      transport: async ({ body }) => ({ status: Number((await post(key, body)).slice(0, 3)) }),
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    telemetry.consent.grant();
    telemetry.record('plan', 'pro');
    await telemetry.flush();
    expect(outcomes.map(({ result }) => result)).toEqual(['recorded']);
    expect(await preview(telemetry)).toHaveLength(1);
    key = newKey();
    now += 3_600_000;
    await telemetry.flush();
    expect(outcomes.map(({ result }) => result)).toEqual(['recorded', 'delivered']);
    expect(await counted()).toBe(1);
    await telemetry.close();
  });
});

describe('limits', () => {
  const NOON = Date.now();

  test('all devices of a key share its limit, and another key of the app has its own', async () => {
    let clock = NOON;
    await open({ now: () => clock });
    const [limited, free] = [newKey('abuse', 2), newKey('abuse', 2, 'second')];
    expect([await post(limited), await post(limited), await post(limited)]).toEqual(['204', '204', '429 too-many']);
    expect(await post(free)).toBe('204');
    clock += 60_000;
    expect(await post(limited)).toBe('204');
  });

  test('a malformed batch counts against the limits of its key and its address', async () => {
    await open({ now: () => NOON, perMinute: 4 });
    const key = newKey('abuse', 2);
    expect([await post(key, '{'), await post(key, '[]'), await post(key)]).toEqual(['400 malformed', '400 malformed', '429 too-many']);
    const free = newKey('abuse', undefined, 'free');
    expect([await post(free, '{'), await post(free, '{'), await post(free)]).toEqual(['400 malformed', '400 malformed', '429 too-many']);
  });

  test('behind a trusted proxy each forwarded address has a limit of its own; a stranger can forward nothing', async () => {
    const from = (address: string): Promise<string> => post(undefined, batch(), { 'x-forwarded-for': address });
    await open({ open: true, now: () => NOON, perMinute: 1, access: { trustProxy: 1 } });
    expect([await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.1')]).toEqual(['204', '204', '429 too-many']);
    expect(await from('192.0.2.3, 192.0.2.1')).toBe('429 too-many'); // the proxy appends the address that it sees
    await collector.close();
    await open({ open: true, now: () => NOON, perMinute: 1 });
    expect([await from('192.0.2.1'), await from('192.0.2.2')]).toEqual(['204', '429 too-many']);
  });

  test('one report of a metric a batch, unless the collector is told to take more', async () => {
    const twice = (): string =>
      batch([
        ['plan', 'AQ'],
        ['plan', 'AQ'],
      ]);
    await open({ open: true });
    expect(await post(undefined, twice())).toBe('400 too-many-reports');
    await collector.close();
    await open({ open: true, perMetric: 2 });
    expect(await post(undefined, twice())).toBe('204');
  });
});
