/** A real Prometheus scrapes a real collector with the files of docs/deploy, and can evaluate every alert and every panel. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collector, createCollector } from '@murmuration/collector';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createToken, createWriteKey } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { batch, schema } from '../kit/senders.ts';
import { deployed, freePort, type Running, replaced, start } from './deployed.ts';

let folder: string;
let collector: Collector;
let prometheus: Running;
let api: string;
/** Decides how much of the disk is free. */
let room: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-prometheus-'));
  room = 10 ** 9;
  const free = async (): Promise<number> => room;
  collector = await createCollector({ schemas: [schema.document], data: join(folder, 'data'), leastFree: 10 ** 6, free });
  const database = openAdminDatabase(join(folder, 'data'));
  writeFileSync(join(folder, 'token'), createToken(database, 'test', 'prometheus', 'viewer', []).secret);
  const { secret } = createWriteKey(database, 'test', 'abuse');
  database.close();
  collector.admin.look();
  const address = await collector.listen(0, '127.0.0.1');
  for (let i = 0; i < 3; i++) await fetch(`${address}/v1/reports?key=${secret}`, { method: 'POST', body: batch() });
  const changes = [
    ['127.0.0.1:8080', address.replace('http://', '')],
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
    ['/etc/prometheus/murmuration.token', join(folder, 'token')],
  ] as const;
  writeFileSync(join(folder, 'prometheus.yml'), `global: { evaluation_interval: 1s }\n${replaced(deployed('prometheus.yml'), ...changes)}`);
  writeFileSync(join(folder, 'alerts.yml'), deployed('alerts.yml'));
  const listen = `127.0.0.1:${await freePort()}`;
  api = `http://${listen}/api/v1`;
  const files = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'series')}`];
  prometheus = start('prometheus', [...files, `--web.listen-address=${listen}`]);
});

afterEach(async () => {
  await prometheus.stop();
  await collector.close();
  rmSync(folder, { recursive: true });
});

interface Series {
  readonly value: readonly [time: number, value: string];
}

/** The values of an expression now. */
async function query(expression: string): Promise<readonly string[]> {
  const response = await fetch(`${api}/query?query=${encodeURIComponent(expression)}`);
  const { status, error, data } = (await response.json()) as { status: string; error?: string; data?: { result: readonly Series[] } };
  if (status !== 'success') throw new Error(`${expression}: ${error}`);
  return data?.result.map(({ value }) => value[1]) ?? [];
}

/** The alerts that fire. */
async function firing(): Promise<readonly string[]> {
  const { data } = (await (await fetch(`${api}/alerts`)).json()) as {
    data: { alerts: readonly { state: string; labels: { alertname: string } }[] };
  };
  return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
}

test('numbers arrive, panels and alerts can be evaluated, and an alert fires', async () => {
  await expect.poll(() => query('murmuration_batches_counted_total').catch(String)).toEqual(['3']);
  expect(await query('up{job="murmuration"}')).toEqual(['1']);
  const [{ rules }] = (parse(deployed('alerts.yml')) as { groups: [{ rules: readonly { expr: string }[] }] }).groups;
  const { panels } = JSON.parse(deployed('grafana.json')) as { panels: readonly { targets: readonly { expr: string }[] }[] };
  for (const { expr } of rules) await query(expr);
  for (const { expr } of panels.flatMap(({ targets }) => targets)) await query(expr.replaceAll('$__rate_interval', '1m'));
  expect(await firing()).toEqual([]);
  room = 0;
  await expect.poll(firing).toContain('MurmurationDiskFull');
});
