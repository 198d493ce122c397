/** Lists of candidates from files: a string a line, or a JSON array. Several files are united. */

import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { MAX_STRING_BYTES } from '@murmuration/shared';
import { UsageError } from '../../base/fault.ts';
import { chunksOf } from '../rappor-files/records.ts';

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
 * @param lists files, or files in packages
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

/*
 * Ways to write equal candidates equally. Devices hash the UTF-8 of what the app records and change nothing about it, so an app that
 * records lower-case hosts is decoded against lower-case hosts.
 */

/** The host of a URL, with or without a scheme: lower case, and Punycode for other letters, as browsers write it. */
function hostOf(text: string): string | undefined {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

/** The name of a way. */
export type Way = 'trim' | 'nfc' | 'lower' | 'host';

/** The ways. One that can't read a candidate gives undefined. */
const ways: { readonly [W in Way]: (text: string) => string | undefined } = {
  trim: (text) => text.trim(),
  nfc: (text) => text.normalize('NFC'),
  lower: (text) => text.toLowerCase(),
  host: hostOf,
};

export const WAYS: readonly Way[] = Object.keys(ways) as Way[];

/** A candidate after the ways, one after the other; undefined when one can't read it. */
const normalized = (text: string, chosen: readonly Way[]): string | undefined =>
  chosen.reduce((before: string | undefined, way) => (before === undefined ? undefined : ways[way](before)), text);

/** Lists of candidates in installed npm packages: `npm:NAME`, or `npm:NAME/FILE`. Nothing is ever downloaded. */
const PREFIX = 'npm:';

/** The folder of a package, from this folder upwards. */
function folderOf(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(from) === from ? undefined : folderOf(name, dirname(from));
}

/** The file that a list's name means: a path itself, or a file of a package that is installed where the command runs. @throws {UsageError} */
function fileOf(list: string): string {
  if (!list.startsWith(PREFIX)) return list;
  const [, name, inside] = /^npm:((?:@[\w.~-]+\/)?[\w.~-]+)(?:\/(.+))?$/.exec(list) ?? [];
  const folder = name === undefined ? undefined : folderOf(name, resolve('.'));
  if (folder === undefined) throw new UsageError(`--candidates ${list}: expected npm: and a package that is installed here, got none`);
  if (inside !== undefined) return join(folder, inside);
  const { main = 'index.js' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly main?: string };
  if (/\.(json|txt)$/.test(main)) return join(folder, main);
  throw new UsageError(
    `--candidates ${list}: expected the name of a .json or .txt file too, as in ${list}/words.txt, got a package of code`,
  );
}
