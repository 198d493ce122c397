/** `npm start`: the collector on SQLite with the demo fleet reporting to it, until Ctrl-C. `--port N` or PORT; 8080 else. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Collector, createCollector } from '@murmuration/collector';
import { candidates, sharesOf } from './data.ts';
import { type Progress, startFleet } from './fleet.ts';
import { schema } from './schema.ts';

const HOST = '127.0.0.1';
const AT_ONCE = 2_000; // devices: enough for a first picture within seconds
const PER_SECOND = 75; // and then steadily, so that a person can watch the error bars shrink
const FOREVER = Number.MAX_SAFE_INTEGER;

function wantedPort(): number {
  const { values } = parseArgs({ options: { port: { type: 'string' } } });
  const text = values.port ?? process.env['PORT'] ?? '8080';
  if (!/^\d+$/.test(text) || Number(text) > 65_535)
    throw new RangeError(`--port: expected a whole number from 0 to 65535, got ${JSON.stringify(text)}`);
  return Number(text);
}

/** Listens on the port, or on a free one where somebody else has it. */
async function listen(collector: Collector, port: number): Promise<{ readonly address: string; readonly moved: boolean }> {
  try {
    return { address: await collector.listen(port, HOST), moved: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return { address: await collector.listen(0, HOST), moved: true };
  }
}

async function start(port: number): Promise<void> {
  const folder = fileURLToPath(new URL('../../.data/demo/', import.meta.url));
  await mkdir(folder, { recursive: true });
  const data = await mkdtemp(folder); // its own: a second demo must not take the store of the first away
  let latest: Progress | undefined;
  const truth = (_app: string, metric: string): { readonly [label: string]: number } | undefined => {
    const counts = latest?.truths[metric];
    return counts && Object.keys(counts).length > 0 ? sharesOf(counts) : undefined;
  };
  const collector = await createCollector({ open: true, schemas: [schema.document], data, candidates, truth });
  const { address, moved } = await listen(collector, port);
  const orders = { endpoint: address, devices: FOREVER, seed: Date.now() % 2 ** 32, atOnce: AT_ONCE, perSecond: PER_SECOND };
  const fleet = startFleet(orders, (progress) => {
    latest = progress;
  });
  let stopping = false;
  const stop = async (code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await fleet.stop();
    await collector.close();
    await rm(data, { recursive: true });
    process.stdout.write(`\nStopped. ${latest?.devices ?? 0} devices had reported.\n`);
    process.exitCode = code;
  };
  process.once('SIGINT', () => void stop(0)).once('SIGTERM', () => void stop(0));
  fleet.done.catch((error: Error) => {
    if (!stopping) process.stderr.write(`${error.message}\n`);
    return stop(1);
  });
  process.stdout.write(
    `
  Murmuration    ${address}${moved ? `    (port ${port} was taken)` : ''}

  ${AT_ONCE} simulated devices are reporting now, then ${PER_SECOND} a second. Each runs the real client: it randomizes its
  answers, which are drawn from real data, and the collector sees nothing else. The dashboard shows what it can
  know of them all and, since this is a demo, what is true. Ctrl-C stops. The collector is open: no token, no key, and
  only this machine reaches it.

`,
  );
}

try {
  await start(wantedPort());
} catch (error) {
  process.stderr.write(`${(error as Error).message.split('\n')[0]}\n`);
  process.exitCode = error instanceof RangeError || error instanceof TypeError ? 2 : 1; // bad usage, or no collector
}
