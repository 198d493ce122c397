/** `murmuration log verify`: a collector's log of schemas, read and checked by anybody. */

import { existsSync, renameSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { Failure, inOneLine, UsageError } from '../base/fault.ts';
import { print } from '../base/usage.ts';
import { fingerprintOf, type LogEntry } from '../schemas/log/entry.ts';
import { openCheckpoint } from '../schemas/log/note.ts';
import { checkDocument, type ReadLog, readLog, readStatement, type Statement } from '../schemas/log/read.ts';
import { readWitnessed, type Witness } from '../schemas/log/witness.ts';
import { loadSchema } from '../schemas/schema-file.ts';
import { table } from './table.ts';
import { readWitness } from './witness.ts';

interface Options {
  readonly key?: string;
  readonly witness?: string;
  readonly schema?: readonly string[];
  readonly json?: boolean;
}

/** Writes the file as a whole. */
function writeWitness(file: string, { key, note }: Witness): void {
  writeFileSync(`${file}.new`, `${key}\n${note}`);
  renameSync(`${file}.new`, file);
}

/** The address of a collector. @throws {UsageError} unless it is one of HTTP */
function collectorAt(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`url: expected the address of a collector, as https://t.example.com, got ${JSON.stringify(text)}`);
  return `${url.origin}${url.pathname}`;
}

/** Schemas in force that the log does not have as they are stated: none published under the name, retired since, or with another document. */
const unlogged = (inForce: Statement['inForce'], entries: readonly LogEntry[]): readonly string[] =>
  inForce
    .filter(({ schema, fingerprint }) => {
      const last = entries.findLast((entry) => entry.schema === schema);
      return last?.what !== 'published' || (fingerprint !== undefined && last.fingerprint !== fingerprint);
    })
    .map(({ schema }) => schema);

/** Milliseconds for all documents. */
const PATIENCE = 600_000;

/** Reads the document of each published entry. */
async function checkDocuments(collector: string, entries: readonly LogEntry[]): Promise<void> {
  const end = performance.now() + PATIENCE;
  for (const [i, entry] of entries.entries()) {
    if (performance.now() > end)
      throw new Failure(`${collector}: expected all documents within ${PATIENCE / 60_000} minutes, got ${i} of ${entries.length}`);
    if (entry.what === 'published') await checkDocument(collector, entry);
  }
}

/** Throws unless the log has each schema of these files. */
async function checkFiles(files: readonly string[], entries: readonly LogEntry[]): Promise<void> {
  for (const file of files) {
    const fingerprint = fingerprintOf(await loadSchema(file, 'log verify'));
    if (!entries.some((entry) => entry.fingerprint === fingerprint))
      throw new Failure(`${file}: expected an entry of the log with its fingerprint, ${fingerprint}, got none`);
  }
}

/** Reads the log, by the key that is given, or that the witness has, or that the collector names. */
async function read(collector: string, named: string | undefined, witness: Witness | undefined): Promise<ReadLog> {
  const key = witness?.key ?? named;
  if (key === undefined)
    throw new Failure(
      `${collector}: expected a statement that names the key of a log, got one without: the collector is older, or asks nothing yet`,
    );
  try {
    return await (witness === undefined ? readLog(collector, key) : readWitnessed(collector, witness));
  } catch (error) {
    throw error instanceof RangeError ? new Failure(error.message) : error;
  }
}

async function verify(url: string, { key, witness: file, schema = [], json }: Options): Promise<void> {
  const collector = collectorAt(url);
  const before = file !== undefined && existsSync(file) ? readWitness(file) : undefined;
  if (key !== undefined && before !== undefined && before.key !== key)
    throw new UsageError(`--key: expected the key of the witness, ${before.key}, got ${key}`);
  const statement = await readStatement(collector);
  const log = await read(collector, key ?? statement.key, before);
  const { entries, checkpoint } = log;
  await checkDocuments(collector, entries);
  const [lost] = unlogged(statement.inForce, entries);
  if (lost !== undefined)
    throw new Failure(`${collector}: expected each schema in force in the log as it is stated, got none of ${JSON.stringify(lost)}`);
  await checkFiles(schema, entries);
  if (file !== undefined) await inOneLine(() => writeWitness(file, log));
  const root = checkpoint.root.toString('base64');
  const pinned = before !== undefined ? 'the witness' : key !== undefined ? '--key' : 'the collector, so compare it with what others see';
  print(json, { collector, key: log.key, size: checkpoint.size, root, grown: before !== undefined, entries }, () =>
    [
      `log        ${checkpoint.origin}: ${checkpoint.size} entries, root ${root}`,
      `key        ${log.key}, from ${pinned}`,
      ...(before === undefined ? [] : [`witness    it begins with the ${openCheckpoint(before.note, log.key).size} entries of ${file}`]),
      ...(file === undefined ? [] : [`written    ${file}`]),
      `in force   ${statement.inForce.length} schemas, all in the log; each document has the fingerprint and the name of its entry`,
      '',
      table(
        ['entry', 'day', 'what', 'schema', 'fingerprint'],
        entries.map(({ day, what, schema: wire, fingerprint = '' }, i) => [`${i}`, day, what, wire, fingerprint]),
      ),
    ].join('\n'),
  );
}

export function addLog(program: Command): void {
  program
    .command('log')
    .description("a collector's transparency log of schemas")
    .command('verify')
    .description('read and check the log of a collector; exits 1 where it was rewritten, or lacks a schema that is asked')
    .argument('<url>', 'the address of the collector, such as https://t.example.com')
    .option('--key <text>', 'the key that must have signed it; without it, the one of the witness, or that the collector names')
    .option('--witness <file>', 'what was seen last: the log must begin with it. The file is written, or brought up to date')
    .option('--schema <file...>', 'schemas that the log must have')
    .option('--json', 'print JSON')
    .action(verify);
}
