/** `npm run bench -- NAME [--json FILE] [...]`: runs a benchmark, prints its table, and fails when its claim does not hold. */

import { writeFile } from 'node:fs/promises';
import { accuracy } from './accuracy/accuracy.ts';
import { capacity } from './capacity/capacity.ts';
import { client } from './client/client.ts';
import { cohorts } from './cohorts/cohorts.ts';
import { decode } from './decode/decode.ts';
import { discover } from './discover/discover.ts';
import { ingest } from './ingest/ingest.ts';
import { linkage } from './linkage/linkage.ts';
import { looks } from './looks/looks.ts';
import { release } from './release/release.ts';
import { scale } from './scale/scale.ts';
import { service } from './service/service.ts';
import { shuffle } from './shuffle/shuffle.ts';
import { tasks } from './tasks/tasks.ts';
import { tokens } from './tokens/tokens.ts';
import { watch } from './watch/watch.ts';
import '../setup/compile-cache.ts';

/** A benchmark: its result as JSON, and as rows: a heading and what is below it, then an empty row where another table follows. */
type Benchmark = (
  args: readonly string[],
) => Promise<{ readonly result: { readonly passed: boolean }; readonly rows: readonly (readonly string[])[] }>;

const benchmarks: { readonly [name: string]: Benchmark } = {
  accuracy,
  capacity,
  client,
  cohorts,
  decode,
  discover,
  ingest,
  linkage,
  looks,
  release,
  scale,
  service,
  shuffle,
  tasks,
  tokens,
  watch,
};

/** Takes `--json FILE` out of the arguments. */
function splitJson(args: readonly string[]): { readonly file: string | undefined; readonly rest: readonly string[] } {
  const at = args.indexOf('--json');
  if (at < 0) return { file: undefined, rest: args };
  const file = args[at + 1];
  if (file === undefined) throw new TypeError('--json: expected a file, got nothing');
  return { file, rest: args.toSpliced(at, 2) };
}

function print(all: readonly (readonly string[])[]): void {
  const end = all.findIndex((row) => row.length === 0);
  const rows = end < 0 ? all : all.slice(0, end);
  // A row of one cell is a title.
  const widths = (rows.at(-1) ?? []).map((_, i) =>
    Math.max(...rows.filter(({ length }) => length > 1).map((row) => (row[i] ?? '').length)),
  );
  for (const row of rows)
    console.log(row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '));
  if (end < 0) return;
  console.log('');
  print(all.slice(end + 1));
}

// What a benchmark has started is ended when this process exits (faults/server.ts, faults/postgres/cluster.ts), which a signal alone skips.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  const [name = '', ...args] = process.argv.slice(2);
  const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
  if (benchmark === undefined) throw new TypeError(`expected one of ${Object.keys(benchmarks).join(', ')}, got ${JSON.stringify(name)}`);
  const { file, rest } = splitJson(args);
  const { result, rows } = await benchmark(rest);
  print(rows);
  if (file !== undefined) await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = result.passed ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
