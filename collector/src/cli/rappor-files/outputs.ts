/** Writes files, all or none: each under a name of its own beside its place first, then all are renamed. */

import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure, UsageError } from '../../base/usage.ts';

/** A file to write, and its lines. */
export interface Output {
  readonly file: string;
  readonly lines: Iterable<string>;
}

const BATCH = 2 ** 20; // characters that are written at once

/** The path of a file behind symbolic links, which need not exist in its folder yet. @throws {UsageError} where no file can be */
function placeOf(option: string, file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile()) return realpathSync(file);
    const isInFolder = statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory();
    if (found === undefined && isInFolder) return join(realpathSync(dirname(file)), basename(file));
  } catch (error) {
    throw new UsageError(`${option} ${file}: ${(error as Error).message}`);
  }
  throw new UsageError(
    `${option} ${file}: expected a path for a file, got ${existsSync(file) ? 'something else there' : 'one in no folder'}`,
  );
}

/** Checks the paths of outputs, by option, before anything is computed: an output replaces a file, but no other output and no input. */
export function checkOutputs(outputs: { readonly [option: string]: string | undefined }, inputs: readonly string[]): void {
  const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true; // and not a pipe
  const taken = new Set(inputs.filter(isFile).map((file) => realpathSync(file)));
  for (const [option, file] of Object.entries(outputs)) {
    if (file === undefined) continue;
    const place = placeOf(option, file);
    if (taken.has(place)) throw new UsageError(`${option} ${file}: expected a path of its own, got that of another file of the command`);
    taken.add(place);
  }
}

function write(path: string, lines: Iterable<string>): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    let text = '';
    for (const line of lines) {
      text += `${line}\n`;
      if (text.length < BATCH) continue;
      writeFileSync(file, text);
      text = '';
    }
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Writes the files. None is renamed before all are written. @throws {Failure} when one can't be written */
export function writeOutputs(outputs: readonly Output[]): void {
  const files = outputs.map(({ file, lines }) => ({ place: placeOf('output', file), lines }));
  const drafts = files.map(({ place }) => `${place}.${randomUUID()}`);
  try {
    files.forEach(({ lines }, i) => {
      write(drafts[i] as string, lines);
    });
    files.forEach(({ place }, i) => {
      renameSync(drafts[i] as string, place);
    });
  } catch (error) {
    for (const draft of drafts) rmSync(draft, { force: true });
    throw new Failure((error as Error).message);
  }
}
