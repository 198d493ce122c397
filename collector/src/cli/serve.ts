/** `murmuration serve`: runs the collector until it is stopped. */

import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { MetricDocument, SchemaDocument } from '@murmuration/shared';
import type { Command } from 'commander';
import { type Logger, pino } from 'pino';
import { takesCandidates } from '../answers/candidates.ts';
import { Failure, Fault, inOneLine, UsageError } from '../base/fault.ts';
import { originsOption, unreadBecause, wholeOption } from '../base/usage.ts';
import type { RelayFile } from '../ingest/relay-keys.ts';
import { createCatalog } from '../schemas/catalog.ts';
import { loadSchema } from '../schemas/schema-file.ts';
import { alertsAddress } from '../server/alerts.ts';
import { type Collector, createCollector } from '../server/collector.ts';
import type { CollectorOptions } from '../server/options.ts';
import { SCHEMAS_SINCE } from '../storage/admin/database.ts';
import { listSchemas } from '../storage/admin/published.ts';
import { type AdminPlace, backendOf, readExistingAdmin } from './admin.ts';
import { readRelayFile } from './relay.ts';
import { createReload } from './reload.ts';
import {
  type AccessFlags,
  accessHint,
  accessOf,
  addAccessOptions,
  addLimits,
  type LimitOptions,
  limitsOf,
  listenForReads,
  roomWords,
} from './serve-options.ts';
import { addSettings, effectiveSettings, fillSettings } from './settings.ts';
import { addPostgres } from './stored-options.ts';

interface ServeOptions extends LimitOptions, AccessFlags {
  readonly schema?: string[];
  readonly candidates?: string[];
  readonly data: string;
  readonly postgres?: string;
  readonly new?: true;
  readonly allowLoss?: true;
  readonly views?: true;
  readonly spill?: string;
  readonly port: number;
  readonly minimum: number;
  readonly origin?: string[];
  readonly perMinute?: number;
  readonly perMetric: number;
  readonly alerts?: string;
  readonly relayKeys?: string;
  readonly checkConfig?: true;
}

/** @throws {UsageError} that does not quote the address, which may be a secret */
function alertsOption(text: string): string {
  try {
    alertsAddress(text);
    return text;
  } catch (error) {
    throw new UsageError(`--alerts: ${(error as Error).message}`);
  }
}

/** The metrics that take candidates. */
const openMetrics = (schemas: readonly SchemaDocument[]): readonly string[] =>
  schemas.flatMap(({ metrics }) => Object.keys(metrics).filter((name) => takesCandidates(metrics[name] as MetricDocument)));

/** Parses `metric=FILE`; the file has one candidate per line. */
async function loadCandidates(option: string, metrics: readonly string[]): Promise<[metric: string, candidates: readonly string[]]> {
  const [, metric, file] = /^([^=]+)=(.+)$/.exec(option) ?? [];
  if (metric === undefined || file === undefined) throw new UsageError(`--candidates: expected metric=FILE, got ${JSON.stringify(option)}`);
  if (!metrics.includes(metric))
    throw new UsageError(
      `--candidates: expected a text metric of the schemas, or a joint one with a text (${[...new Set(metrics)].join(', ') || 'there is none'}), got ${JSON.stringify(metric)}`,
    );
  try {
    const lines = (await readFile(file, 'utf8')).split(/\r?\n/).filter((line) => line !== '');
    return [metric, [...new Set(lines)]];
  } catch (error) {
    throw new UsageError(`--candidates ${option}: ${unreadBecause(error)}`);
  }
}

/** The schemas that commands have published. Reading them leaves the file as it is: an older collector may still use it. @throws {UsageError} */
async function publishedIn(place: AdminPlace): Promise<readonly SchemaDocument[]> {
  if (!backendOf(place).admin.exists()) return [];
  return (await readExistingAdmin(place, SCHEMAS_SINCE, listSchemas)).flatMap(({ document }) => document ?? []);
}

/** The schemas and the candidates that the options name, and the schemas that commands have published. @throws {UsageError} */
export async function load(
  options: Pick<ServeOptions, 'schema' | 'candidates' | 'data' | 'postgres' | 'checkConfig'>,
): Promise<Pick<CollectorOptions, 'schemas' | 'candidates'> & { readonly published: readonly SchemaDocument[] }> {
  const { schema = [], candidates = [], checkConfig } = options;
  const { shared, words } = backendOf(options);
  // A check of the options connects to nothing.
  const isApart = checkConfig === true && shared !== undefined;
  const published = isApart ? [] : await publishedIn(options);
  if (!isApart && schema.length + published.length === 0)
    throw new UsageError(
      `--schema: expected a schema module or canonical JSON, or one that schemas publish has put into ${words.place}, got none`,
    );
  const schemas: SchemaDocument[] = [];
  for (const file of schema) schemas.push(await loadSchema(file));
  const lists = await Promise.all(
    (isApart ? [] : candidates).map((option) => loadCandidates(option, openMetrics([...schemas, ...published]))),
  );
  return { schemas, published, candidates: Object.fromEntries(lists) };
}

/** Options that are about a database. @throws {UsageError} when there is none */
function checkDatabase({ views, spill, postgres }: ServeOptions): void {
  const without = (option: string): UsageError => new UsageError(`${option}: expected --postgres beside it, got none`);
  if (views && postgres === undefined) throw without('--views');
  if (spill !== undefined && postgres === undefined) throw without('--spill');
}

/** @throws {UsageError} where the folder of the store is a file */
function checkFolder({ data }: ServeOptions): void {
  if (statSync(data, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new UsageError(`--data ${data}: expected a folder, got a file`);
}

/** The keys and relays of a file. @throws {UsageError} when it admits no relay, because nobody could send a message then */
function servedRelay(file: string): RelayFile {
  const relay = readRelayFile('--relay-keys', file);
  if (relay.relays.length === 0)
    throw new UsageError(`--relay-keys ${file}: expected a relay, as murmuration relay admit adds one, got none`);
  return relay;
}

/** Reads the keys again. Where that fails, they stay as they were. */
function reloadRelay(collector: Pick<Collector, 'updateRelay'>, file: string | undefined, log: Logger): void {
  if (file === undefined) return;
  try {
    void collector.updateRelay(servedRelay(file));
    log.info({ file }, 'the relay keys were read again');
  } catch (error) {
    log.error({ err: error }, 'the relay keys could not be read again, and stay as they were');
  }
}

/** Checks what can be checked without starting, and prints the options in effect. @throws {UsageError} */
async function check(options: ServeOptions, command: Command): Promise<void> {
  accessOf(options);
  if (options.relayKeys !== undefined) servedRelay(options.relayKeys);
  const { schemas, published } = await load(options);
  try {
    createCatalog([...schemas, ...published]);
  } catch (error) {
    throw new UsageError(`--schema: ${(error as Error).message}`);
  }
  process.stdout.write(`${JSON.stringify(effectiveSettings(command), null, 2)}\n`);
}

async function serve(_options: unknown, command: Command): Promise<void> {
  fillSettings(command, process.env);
  const options: ServeOptions = command.opts();
  checkDatabase(options);
  checkFolder(options);
  if (options.checkConfig) return check(options, command);
  const { allowLoss, views, spill, port, host, minimum, origin, perMinute, perMetric, alerts, relayKeys } = options;
  const relay = relayKeys === undefined ? undefined : servedRelay(relayKeys);
  // No timestamps: a proxy may log addresses with times, and the time of a failed request would then identify its sender.
  const log = pino({ name: 'murmuration', timestamp: false }, pino.destination(2));
  const { mostSpill, ...limits } = limitsOf(options);
  const storage = backendOf(options, {
    ...(allowLoss && { allowLoss }),
    ...(views && { views }),
    ...(spill !== undefined && { spill, mostSpill }),
  });
  const senders = { ...accessOf(options), ...(origin && { origins: origin }), ...(perMinute && { perMinute }), perMetric };
  await inOneLine(storage.prepare);
  const { schemas, published, candidates } = await load(options);
  const collector = await createCollector({
    schemas,
    ...(candidates && { candidates }),
    storage,
    minimum,
    log,
    ...(alerts !== undefined && { alerts }),
    ...(relay && { relay }),
    ...limits,
    ...senders,
  }).catch((error: Error) => {
    throw error instanceof Fault ? error : new Failure(error.message);
  });
  const address = await collector.listen(port, host).catch(async (error: Error) => {
    await collector.close();
    throw new Failure(`--host ${host} --port ${port}: expected an address and a port that are free, got ${error.message}`);
  });
  const readsAt = await listenForReads(collector, options);
  const stop = (): void => {
    log.info('stopping');
    collector.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  // A terminal that closes sends SIGHUP, and so does whoever wants a service to read its files again.
  if (process.stdin.isTTY) process.once('SIGHUP', stop);
  else process.on('SIGHUP', createReload(collector, options.schema ?? [], log)).on('SIGHUP', () => reloadRelay(collector, relayKeys, log));
  void collector.failed.then((error) => {
    log.fatal({ err: error }, 'the store failed: what was acknowledged is on the disk');
    process.exit(1);
  });
  log.info({ settings: effectiveSettings(command) }, 'started with these settings');
  const room = roomWords(await collector.store.sizes?.().catch(() => undefined));
  if (room !== undefined) log.info(room);
  collector.prepare();
  process.stdout.write(
    `Murmuration listens on ${address}${readsAt}\n${await accessHint(collector.admin, options, [...schemas, ...published], storage.words.option, log)}`,
  );
}

export function addServe(program: Command): void {
  const command = program
    .command('serve')
    .description('run the collector and its dashboard')
    .option('--schema <file...>', 'schema modules or canonical JSON; SIGHUP reads them again')
    .option('--candidates <metric=file...>', 'the strings to look for in a text metric, one a line')
    .option('--data <folder>', 'the folder of the store', '.data')
    .option('--new', 'begin an empty store in a folder whose store is gone')
    .option('--allow-loss', 'take a database server that may lose what it has confirmed, where reports may be lost')
    .option('--views', 'with --postgres: write estimates into tables, from which tools such as Grafana read them by SQL')
    .option('--spill <folder>', 'with --postgres: take batches while the database is away, into a folder of this collector alone')
    .option('--port <n>', 'the port; 0 picks a free one', wholeOption('--port', 0, 65_535), 8080)
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option(
      '--minimum <n>',
      'show no estimates for fewer reports than this; for readability, it hides nothing',
      wholeOption('--minimum', 1),
      20,
    )
    .option('--origin <origin...>', 'origins of pages that may report, such as https://app.example (default: all)', originsOption)
    .option(
      '--per-minute <n>',
      'reports that one address may send a minute; a batch is never split (default: no limit)',
      wholeOption('--per-minute', 1),
    )
    .option('--per-metric <n>', 'the most reports of one metric in one batch', wholeOption('--per-metric', 1, 1_000), 1)
    .option('--relay-keys <file>', 'the keys of the gateway and its relays, as murmuration relay writes them; SIGHUP reads them again')
    .option('--alerts <url>', 'where new signs of wrong reports are posted as JSON; a password in it signs them', alertsOption)
    .action(serve);
  addPostgres(command);
  addAccessOptions(command);
  addLimits(command);
  addSettings(command);
}
