/**
 * `npm run demo -- --devices N [--seed K] [--relay] [--json]`: a fleet on real data over HTTP, or through a relay, its estimates beside the
 * truth.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCollector } from '@murmuration/collector';
import { type Comparison, compareAll } from './compare.ts';
import { candidates } from './data.ts';
import { startFleet } from './fleet.ts';
import { relayed, schema } from './schema.ts';
import { GATEWAY, relayTo } from './through-relay.ts';

/** A correct system fails a metric's test once in a million runs. */
const FALSE_ALARM = 1e-6;

class UsageError extends Error {}

function whole(name: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < low || value > high) {
    throw new UsageError(`--${name}: expected a whole number from ${low} to ${high}, got ${JSON.stringify(text)}`);
  }
  return value;
}

function options(): { readonly devices: number; readonly seed: number; readonly isRelayed: boolean; readonly json: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        devices: { type: 'string', default: '20000' },
        seed: { type: 'string', default: '1' },
        relay: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    return {
      devices: whole('devices', values.devices, 1, 10_000_000),
      seed: whole('seed', values.seed, 0, 2 ** 32 - 1),
      isRelayed: values.relay,
      json: values.json,
    };
  } catch (error) {
    throw error instanceof TypeError
      ? new UsageError(`expected --devices N, --seed K, --relay, --json; got: ${error.message.split('\n')[0]}`)
      : error;
  }
}

interface Result {
  readonly devices: number;
  readonly reports: number;
  readonly seconds: number;
  readonly consistent: boolean;
  readonly metrics: readonly Comparison[];
}

async function demo(devices: number, seed: number, isRelayed: boolean): Promise<Result> {
  const started = performance.now();
  const data = await mkdtemp(join(tmpdir(), 'murmuration-demo-'));
  const schemas = [(isRelayed ? relayed : schema).document];
  const collector = await createCollector({ open: true, schemas, data, candidates, minimum: 1, ...(isRelayed && { relay: GATEWAY }) });
  let relay: Awaited<ReturnType<typeof relayTo>> | undefined;
  try {
    const endpoint = await collector.listen(0, '127.0.0.1');
    relay = isRelayed ? await relayTo(endpoint) : undefined;
    const orders = { endpoint, devices, seed, atOnce: devices, perSecond: 1, relay };
    const step = Math.ceil(devices / 10);
    let told = step;
    const { done } = startFleet(orders, ({ devices: finished }) => {
      if (finished < told) return;
      process.stderr.write(`${finished} of ${devices} devices have reported\n`);
      told = finished + step;
    });
    const { delivered, lost, truths } = await done;
    if (Object.keys(lost).length > 0) throw new Error(`expected every report to be delivered, got ${JSON.stringify(lost)}`);
    const metrics = await compareAll(endpoint, truths);
    const seconds = Math.round(performance.now() - started) / 1_000;
    return { devices, reports: delivered, seconds, consistent: metrics.every(({ pValue }) => pValue > FALSE_ALARM), metrics };
  } finally {
    await relay?.close();
    await collector.close();
    await rm(data, { recursive: true });
  }
}

function readable({ devices, reports, seconds, consistent, metrics }: Result): string {
  const heading = ['metric', 'mechanism', 'epsilon', 'answers', 'rmse', 'expected', 'z2', 'df', 'p-value', 'covered'];
  const rows = metrics.map(({ metric, mechanism, epsilon, answers, rmse, expectedRmse, z2, df, pValue, coverage95 }) => [
    metric,
    mechanism,
    String(epsilon),
    String(answers),
    `${(100 * rmse).toFixed(3)} %`,
    `${(100 * expectedRmse).toFixed(3)} %`,
    z2.toFixed(1),
    String(df),
    pValue.toPrecision(3),
    `${(100 * coverage95).toFixed(1)} %`,
  ]);
  const widths = heading.map((_, i) => Math.max(...[heading, ...rows].map((row) => (row[i] ?? '').length)));
  const lines = [heading, ...rows].map((row) =>
    row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
  const verdict = consistent ? 'The estimates agree with the truth.' : 'The estimates do NOT agree with the truth.';
  const sent = `${devices} devices sent ${reports} reports in ${seconds} s. Estimates are of the devices that reported, whose truth is known.`;
  return [sent, '', ...lines, '', verdict].join('\n');
}

try {
  const { devices, seed, isRelayed, json } = options();
  const result = await demo(devices, seed, isRelayed);
  process.stdout.write(`${json ? JSON.stringify(result, null, 2) : readable(result)}\n`);
  process.exitCode = result.consistent ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
