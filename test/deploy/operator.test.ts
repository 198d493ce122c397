/**
 * An operator's day with docs/deploy and docs/operations.md, in real processes: settings, keys and tokens, a device, numbers, a backup, a
 * kill, a restore, pruning. (Proxies and Prometheus have files of their own.)
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry, memoryStorage } from '@murmuration/client';
import { schema } from '@murmuration/examples/cli/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bin, runCommand } from '../setup/command.ts';
import { deployed, freePort } from './deployed.ts';

let folder: string;
let running: ChildProcess | undefined;
let said: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-operator-'));
});

afterEach(() => {
  running?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const inFolder = (name: string): string => join(folder, name);

/** Starts the collector with the settings of docs/deploy, in another folder and at another port. Resolves when it listens. */
async function start(config: string): Promise<void> {
  said = '';
  running = spawn(process.execPath, [bin, 'serve', '--config', config], { cwd: folder });
  for (const stream of [running.stdout, running.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  await expect.poll(() => said).toContain('Murmuration listens on ');
}

/** Ends the collector, and resolves to its exit code; null when it was killed. */
async function stop(signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(running as ChildProcess, 'exit');
  running?.kill(signal);
  const [code] = await exit;
  return code as number | null;
}

/** Runs a command that must succeed, and returns what it printed. */
function murmuration(...args: readonly string[]): string {
  const { status, stdout, stderr } = runCommand(...args);
  expect(status, `${args.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

test('from a schema to a restored store, by the pages alone', async () => {
  // Prepare the schema, and check the settings.
  const file = new URL('../../examples/cli/schema.ts', import.meta.url).pathname;
  writeFileSync(inFolder('schema.json'), murmuration('schema', '--schema', file, '--document'));
  const port = await freePort();
  const settings = { ...(JSON.parse(deployed('murmuration.json')) as object), port, leastFree: 0, minimum: 1 };
  const configOf = (name: string, data: string): string => {
    writeFileSync(inFolder(name), JSON.stringify({ ...settings, schema: [inFolder('schema.json')], data }));
    return inFolder(name);
  };
  const [data, restored] = [inFolder('data'), inFolder('restored')];
  const config = configOf('murmuration.json', data);
  murmuration('serve', '--config', config, '--check-config');

  // The first start prints an admin token once. A key for the app, a token for Prometheus.
  await start(config);
  await expect.poll(() => said).toMatch(/\bat_[\w-]+/);
  const [key = ''] = /pk_[\w-]+/.exec(murmuration('keys', 'create', '--app', schema.document.app, '--data', data)) ?? [];
  const create = ['keys', 'create', '--role', 'viewer', '--name', 'prometheus', '--data', data];
  const [token = ''] = /at_[\w-]+/.exec(murmuration(...create)) ?? [];
  const url = `http://127.0.0.1:${port}`;
  const read = async (path: string): Promise<string> =>
    (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).text();
  const reports = async (): Promise<number | undefined> => {
    const { metrics } = JSON.parse(await read('/v1/metrics')) as { metrics?: readonly { metric: string; reports: number }[] };
    return metrics?.find(({ metric }) => metric === 'command')?.reports;
  };
  await expect.poll(reports).toBe(0); // the collector has seen the token

  // A device reports with the key.
  const send = async (): Promise<void> => {
    const telemetry = createTelemetry({ schema, endpoint: url, key, storage: memoryStorage() });
    telemetry.consent.grant();
    telemetry.record('command', 'add');
    await telemetry.flush();
    telemetry.close();
  };
  await send();
  expect(await reports()).toBe(1);
  expect(await read('/metrics')).toContain('murmuration_batches_counted_total 1\n');

  // A backup beside it, and more reports; killed, and started again: nothing that was acknowledged is lost.
  murmuration('backup', '--data', data, '--out', inFolder('copy'));
  murmuration('backup', '--verify', inFolder('copy'));
  await send();
  expect(await stop('SIGKILL')).toBeNull();
  await start(config);
  expect(said).not.toMatch(/\bat_[\w-]+/);
  expect(await reports()).toBe(2);
  expect(await stop('SIGTERM')).toBe(0);

  // Pruned while it is stopped. The disk is lost, and the backup alone brings back reports, keys and tokens.
  murmuration('prune', '--data', data, '--keep-for', '400');
  murmuration('vacuum', '--data', data);
  rmSync(data, { recursive: true });
  murmuration('restore', '--from', inFolder('copy'), '--data', restored);
  await start(configOf('restored.json', restored));
  expect(await reports()).toBe(1);
  await send();
  expect(await reports()).toBe(2);
  expect(await stop('SIGTERM')).toBe(0);
});
