/**
 * `npm start`: the collector on SQLite with 60 past days of one app, and the demo fleet reporting to it, until Ctrl-C. `--port N` or PORT; 8080
 * else. With `--relay` the fleet reports through a relay.
 */

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Collector, createCollector } from '@murmuration/collector';
import { dayNumber, dayText } from '@murmuration/shared';
import { addTruths, candidates, sharesOf } from './data.ts';
import { serveDevice } from './device-page.ts';
import { type Progress, startFleet } from './fleet.ts';
import { makePast } from './past.ts';
import { before, relayed, schema } from './schema.ts';
import { DAYS, MISSING, NOTE, PER_DAY, POISONED, SILENT, WRONG_UNIT } from './story.ts';
import { GATEWAY, relayTo } from './through-relay.ts';

const HOST = '127.0.0.1';
const PER_SECOND = 5; // so today is as long as a past day within minutes, and the fleet takes little of the machine
/** Through a relay each report is a message of its own. */
const RELAYED_PER_SECOND = 1;
const FOREVER = Number.MAX_SAFE_INTEGER;

function wanted(): { readonly port: number; readonly isRelayed: boolean } {
  const { values } = parseArgs({ options: { port: { type: 'string' }, relay: { type: 'boolean', default: false } } });
  const text = values.port ?? process.env['PORT'] ?? '8080';
  if (!/^\d+$/.test(text) || Number(text) > 65_535)
    throw new RangeError(`--port: expected a whole number from 0 to 65535, got ${JSON.stringify(text)}`);
  return { port: Number(text), isRelayed: values.relay };
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

/** Writes what happened on a day. */
async function annotate(address: string, today: number): Promise<void> {
  const body = JSON.stringify({ app: schema.document.app, day: dayText(today - DAYS + NOTE.day), text: NOTE.text });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const { status } = await fetch(`${address}/v1/annotations`, init);
  if (status !== 200) throw new Error(`an annotation: expected status 200, got ${status}`);
}

/** The first look for signs in 60 days, which takes some seconds: the page shows what it found as soon as somebody opens it. */
const look = (address: string): Promise<unknown> => fetch(`${address}/v1/signs`).catch(() => undefined); // the page asks again

/** What there is to see, as addresses of the dashboard. */
function tour(address: string, device: string, today: number): string {
  const poisoned = dayText(today - DAYS + POISONED.day);
  return `  1. What needs a look: a poisoned day (${POISONED.metric}), a number in another unit (${WRONG_UNIT.metric}), a question that fell silent
     (${SILENT.metric}), and one that nobody records (${MISSING.metric})
     ${address}/
  2. Did release 2.0 change dark mode? In truth it went from 34 % to 41 %
     ${address}/questions/darkMode?a.segment.version=1.9&b.segment.version=2.0
  3. The poisoned day: a tenth of its reports are one report, again and again
     ${address}/questions/${POISONED.metric}?from=${poisoned}&to=${poisoned}
  4. The app on a device of your own, and a check of what it sends, from its address alone
     ${device}/
     npx @murmuration/collector audit --url ${device}/ --plan examples/demo/device-page/plan.json`;
}

async function start({ port, isRelayed }: ReturnType<typeof wanted>): Promise<void> {
  const folder = fileURLToPath(new URL('../../.data/demo/', import.meta.url));
  await mkdir(folder, { recursive: true });
  const data = await mkdtemp(folder); // its own: a second demo must not take the store of the first away
  const today = dayNumber(Date.now());
  const leave = (): never => {
    rmSync(data, { recursive: true });
    process.exit(0);
  };
  process.on('SIGINT', leave).on('SIGTERM', leave);
  process.stdout.write(`\n  Making ${DAYS} past days of an invented app\n`);
  const past = await makePast({ data, today, perDay: PER_DAY, seed: 1 });
  let latest: Progress | undefined;
  const truth = (_app: string, metric: string): { readonly [label: string]: number } | undefined => {
    const of = addTruths(past.truths, latest?.truths ?? {})[metric];
    return of && sharesOf(of);
  };
  const schemas = [before, schema, ...(isRelayed ? [relayed] : [])].map(({ document }) => document);
  const collector = await createCollector({ open: true, schemas, data, candidates, truth, ...(isRelayed && { relay: GATEWAY }) });
  const { address, moved } = await listen(collector, port);
  await annotate(address, today);
  const looked = look(address);
  const relay = isRelayed ? await relayTo(address) : undefined;
  const device = await serveDevice(address);
  const perSecond = isRelayed ? RELAYED_PER_SECOND : PER_SECOND;
  const orders = { endpoint: address, devices: FOREVER, seed: Date.now() % 2 ** 32, atOnce: 0, perSecond, relay };
  const fleet = startFleet(orders, (progress) => {
    latest = progress;
  });
  let stopping = false;
  const stop = async (code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await fleet.stop();
    await relay?.close();
    await device.close();
    await collector.close();
    await rm(data, { recursive: true });
    process.stdout.write(`\nStopped. ${latest?.devices ?? 0} devices had reported today.\n`);
    process.exitCode = code;
  };
  process.off('SIGINT', leave).off('SIGTERM', leave);
  process.once('SIGINT', () => void stop(0)).once('SIGTERM', () => void stop(0));
  fleet.done.catch((error: Error) => {
    if (!stopping) process.stderr.write(`${error.message}\n`);
    return stop(1);
  });
  await looked;
  const way = relay
    ? ` Today's reports pass a relay, ${relay.address}:
  it knows addresses and can't read, the collector reads and learns no address. Each report is a message of its own.`
    : '';
  process.stdout.write(
    `
  Murmuration    ${address}${moved ? `    (port ${port} was taken)` : ''}

  A film diary that is invented, with ${past.devices.toLocaleString('en')} devices in ${DAYS} past days. ${perSecond} more a second report now. Each runs the
  real client: it randomizes its answers, and the collector sees nothing else. The dashboard shows what it can know of them
  all and, since this is a demo, what is true.${way} Four things to see:

${tour(address, device.address, today)}

  Ctrl-C stops. The collector is open: no token, no key, and only this machine reaches it.

`,
  );
}

try {
  await start(wanted());
} catch (error) {
  process.stderr.write(`${(error as Error).message.split('\n')[0]}\n`);
  process.exitCode = error instanceof RangeError || error instanceof TypeError ? 2 : 1; // bad usage, or no collector
}
