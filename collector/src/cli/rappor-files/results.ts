/** The files that a decode writes, all or none: its results, with google/rappor's columns first, and the distribution. */

import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { field, type WriteField } from '../../base/csv.ts';
import { Failure, UsageError } from '../../base/fault.ts';
import { descending } from '../../decoding/decode/decode.ts';
import type { Decoded } from '../../decoding/decode/evidence.ts';

const COLUMNS = 'string,estimate,std_error,proportion,prop_std_error,prop_low_95,prop_high_95,p_value,q_value,reported';

/** Digits of a number. Fewer than a double has, so that the last bits of an exponential, which machines differ in, do not show. */
const DIGITS = 9;

const number = (value: number): string => String(Number(value.toPrecision(DIGITS)));

const clamp = (share: number): number => Math.min(1, Math.max(0, share));

/** The lines of the results: the reported strings, or all candidates, by descending estimate. Interval ends lie in [0, 1]. */
export function* resultLines(
  names: readonly string[],
  reports: number,
  decoded: Decoded,
  all: boolean,
  write: WriteField = field,
): Generator<string> {
  const { estimate, standardError, low, high, pValue, qValue, isFound } = decoded;
  yield COLUMNS;
  for (const v of descending(estimate, (v) => all || isFound[v] === 1)) {
    const [share, error] = [estimate[v] as number, standardError[v] as number];
    const numbers = [
      reports * share,
      reports * error,
      share,
      error,
      clamp(low[v] as number),
      clamp(high[v] as number),
      pValue[v],
      qValue[v],
    ];
    yield [write(names[v]), ...numbers.map((value) => number(value as number)), isFound[v] === 1].join();
  }
}

/** The lines of the distribution: every candidate, by descending frequency. What no candidate explains has no line. */
export function* distributionLines(names: readonly string[], { distribution }: Decoded, write: WriteField = field): Generator<string> {
  yield 'string,frequency';
  for (const v of descending(distribution, () => true)) yield `${write(names[v])},${number(distribution[v] as number)}`;
}

// Writes files, all or none: each under a name of its own beside its place first, then all are renamed.

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
