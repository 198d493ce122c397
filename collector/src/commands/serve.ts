/** `murmuration serve`: runs the collector until it is stopped. */

import { readFile } from 'node:fs/promises';
import type { MetricDocument, SchemaDocument } from '@murmuration/shared';
import type { Command } from 'commander';
import { pino } from 'pino';
import { openCollector } from '../collector.ts';
import { takesCandidates } from '../estimates/candidates.ts';
import { loadSchema } from '../schemas/schema-file.ts';
import { Failure, originsOption, UsageError, wholeOption } from './usage.ts';

interface ServeOptions {
  readonly schema: string[];
  readonly candidates?: string[];
  readonly data: string;
  readonly port: number;
  readonly host: string;
  readonly minimum: number;
  readonly origin?: string[];
  readonly perMinute?: number;
  readonly perMetric?: number;
  readonly mostRows?: number;
  readonly mostBytes?: number;
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
    throw new UsageError(`--candidates ${option}: ${(error as Error).message}`);
  }
}

async function serve({
  schema,
  candidates = [],
  data,
  port,
  host,
  minimum,
  origin,
  perMinute,
  perMetric,
  mostRows,
  mostBytes,
}: ServeOptions): Promise<void> {
  // No timestamps: a proxy may log addresses with times, and the time of a failed request would then identify its sender.
  const log = pino({ name: 'murmuration', timestamp: false }, pino.destination(2));
  const schemas: SchemaDocument[] = [];
  for (const file of schema) schemas.push(await loadSchema(file));
  const lists = Object.fromEntries(await Promise.all(candidates.map((option) => loadCandidates(option, openMetrics(schemas)))));
  const limits = { ...(origin && { origins: origin }), ...(perMinute && { perMinute }), ...(perMetric && { perMetric }) };
  const room = { ...(mostRows && { mostRows }), ...(mostBytes && { mostBytes }) };
  const collector = await openCollector({ schemas, data, candidates: lists, minimum, log, room, ...limits }).catch((error: Error) => {
    throw new Failure(error.message);
  });
  const address = await collector.listen(port, host).catch(async (error: Error) => {
    await collector.close();
    throw new Failure(`--host ${host} --port ${port}: expected an address and a port that are free, got ${error.message}`);
  });
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
  void collector.failed.then((error) => {
    log.fatal({ err: error }, 'the store failed: what was acknowledged is on the disk');
    process.exit(1);
  });
  process.stdout.write(`Murmuration listens on ${address}\n`);
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the collector and its dashboard')
    .requiredOption('--schema <file...>', 'schema modules or canonical JSON')
    .option('--candidates <metric=file...>', 'the strings to look for in a text metric, one a line')
    .option('--data <folder>', 'the folder of the store', '.data')
    .option('--port <n>', 'the port; 0 picks a free one', wholeOption('--port', 0, 65_535), 8080)
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option('--minimum <n>', 'show no estimates for fewer reports than this', wholeOption('--minimum', 1), 20)
    .option('--origin <origin...>', 'origins of pages that may report, such as https://app.example (default: all)', originsOption)
    .option(
      '--per-minute <n>',
      'reports that one address may send a minute; a batch is never split (default: no limit)',
      wholeOption('--per-minute', 1),
    )
    .option('--per-metric <n>', 'the most reports of one metric in one batch (default: 1000)', wholeOption('--per-metric', 1, 1_000))
    .option(
      '--most-rows <n>',
      'the most rows that an app may open in the store for one day (default: 2097152)',
      wholeOption('--most-rows', 1),
    )
    .option('--most-bytes <n>', 'the most bytes of an app in the store (default: 17179869184)', wholeOption('--most-bytes', 1))
    .action(serve);
}
