/** `murmuration serve`: the collector, until it is told to stop. */

import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { pino } from 'pino';
import { openCollector } from '../collector.ts';
import { loadSchema } from '../schema-file.ts';
import { Failure, UsageError, wholeOption } from './usage.ts';

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
}

/** `metric=FILE`, a candidate a line. */
async function loadCandidates(option: string): Promise<[metric: string, candidates: readonly string[]]> {
  const [, metric, file] = /^([^=]+)=(.+)$/.exec(option) ?? [];
  if (metric === undefined || file === undefined) throw new UsageError(`--candidates: expected metric=FILE, got ${JSON.stringify(option)}`);
  try {
    const lines = (await readFile(file, 'utf8')).split(/\r?\n/).filter((line) => line !== '');
    return [metric, [...new Set(lines)]];
  } catch (error) {
    throw new UsageError(`--candidates ${option}: ${(error as Error).message}`);
  }
}

async function serve({ schema, candidates = [], data, port, host, minimum, origin, perMinute, perMetric }: ServeOptions): Promise<void> {
  // Without times: beside an address that a proxy logs, the moment of a failed request would say whose it was.
  const log = pino({ name: 'murmuration', timestamp: false }, pino.destination(2));
  const schemas = await Promise.all(schema.map(loadSchema));
  const lists = Object.fromEntries(await Promise.all(candidates.map(loadCandidates)));
  const limits = { ...(origin && { origins: origin }), ...(perMinute && { perMinute }), ...(perMetric && { perMetric }) };
  const collector = await openCollector({ schemas, data, candidates: lists, minimum, log, ...limits }).catch((error: Error) => {
    throw new Failure(error.message);
  });
  const address = await collector.listen(port, host);
  process.stdout.write(`Murmuration listens on ${address}\n`);
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
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the collector and its dashboard')
    .requiredOption('--schema <file...>', 'schema modules or canonical JSON')
    .option('--candidates <metric=file...>', 'strings to estimate for a text metric or the text of a joint one, one a line')
    .option('--data <folder>', 'where the store lies', '.data')
    .option('--port <n>', 'port; 0 takes a free one', wholeOption('--port', 0, 65_535), 8080)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--minimum <n>', 'fewer reports than this show nothing', wholeOption('--minimum', 1), 20)
    .option('--origin <origin...>', 'pages that may report, https://app.example; all when left out')
    .option('--per-minute <n>', 'reports that one address may send in a minute; any number when left out', wholeOption('--per-minute', 1))
    .option('--per-metric <n>', 'reports of one metric in one batch; 1000 when left out', wholeOption('--per-metric', 1, 1_000))
    .action(serve);
}
