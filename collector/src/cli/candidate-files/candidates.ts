/** Lists of candidates from files: a string a line, or a JSON array. Several files are united. */

import { isUtf8 } from 'node:buffer';
import { MAX_STRING_BYTES } from '@murmuration/shared';
import { UsageError } from '../../base/usage.ts';
import { chunksOf } from '../rappor-files/bytes.ts';
import { normalized, type Way } from './normalize.ts';
import { fileOf } from './packages.ts';

/** A candidate, and where it stands: its line, or its place in an array from 1. */
type Entry = readonly [place: number, text: string];

/** Candidates, and what was left out: a line each, with file and line. */
export interface CandidateList {
  readonly candidates: readonly string[];
  readonly leftOut: readonly string[];
}

/** The strings of an array, or the `word` of its objects. */
function* entriesOf(file: string, text: string): Generator<Entry> {
  if (!file.endsWith('.json')) {
    for (const [i, line] of text.split('\n').entries()) yield [i + 1, line.endsWith('\r') ? line.slice(0, -1) : line];
    return;
  }
  let array: unknown;
  try {
    array = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
  if (!Array.isArray(array)) throw new UsageError(`${file}: expected an array of strings, got ${typeof array}`);
  for (const [i, entry] of array.entries()) {
    const word: unknown = typeof entry === 'string' ? entry : (entry as { readonly word?: unknown } | null)?.word;
    if (typeof word !== 'string')
      throw new UsageError(`${file}:${i + 1}: expected a string, or an object with a word, got ${JSON.stringify(entry)}`);
    yield [i + 1, word];
  }
}

async function textOf(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(file)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new UsageError(`${file}: expected UTF-8, got other bytes`);
  return bytes.toString();
}

/**
 * The candidates of all lists, each once. Left out are empty ones, those that a file has twice, those that a way can't read, and those that
 * are longer than what devices hash.
 *
 * @param lists files, or files in packages (packages.ts)
 * @throws {UsageError} when a file can't be read, or nothing is left
 */
export async function readCandidates(lists: readonly string[], ways: readonly Way[]): Promise<CandidateList> {
  const all = new Set<string>();
  const leftOut: string[] = [];
  for (const file of lists.map(fileOf)) {
    const own = new Map<string, number>();
    for (const [place, text] of entriesOf(file, await textOf(file))) {
      if (text === '') continue;
      const candidate = normalized(text, ways);
      const first = candidate === undefined ? undefined : own.get(candidate);
      const refuse = (why: string): number => leftOut.push(`${file}:${place}: left out ${JSON.stringify(text.slice(0, 60))}, ${why}`);
      if (candidate === undefined || candidate === '') refuse(`which has no ${ways.join(', ')}`);
      else if (first !== undefined) refuse(`which is the candidate of line ${first} again`);
      else if (Buffer.byteLength(candidate) > MAX_STRING_BYTES) refuse(`which is longer than ${MAX_STRING_BYTES} bytes`);
      else {
        own.set(candidate, place);
        all.add(candidate);
      }
    }
  }
  if (all.size === 0) throw new UsageError(`--candidates ${lists.join(' ')}: expected a string a line, got none`);
  return { candidates: [...all], leftOut };
}
