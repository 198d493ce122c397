/**
 * A disk reconstructed from a process's system calls: the content that is certain (synced), and the later writes.
 * A power loss may lose any part of the latter; a killed process loses none of it.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Event } from './trace.ts';

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly length: number };

interface File {
  synced: Buffer;
  changes: Change[];
  /** Whether its name is on the disk. A folder is synced like a file. */
  named: boolean;
  /** Removed, but the removal may not be on the disk. */
  removed: boolean;
}

const SECTOR = 512;

/** A file's content after changes. */
function apply(content: Buffer, changes: readonly Change[]): Buffer {
  const size = Math.max(content.length, ...changes.map((change) => ('length' in change ? change.length : change.at + change.bytes.length)));
  const result = Buffer.concat([content], size);
  let { length } = content;
  for (const change of changes) {
    if ('length' in change) {
      if (change.length < length) result.fill(0, change.length, length);
      length = change.length;
    } else {
      change.bytes.copy(result, change.at);
      length = Math.max(length, change.at + change.bytes.length);
    }
  }
  return result.subarray(0, length);
}

/** Parts of a write, each at most a sector. A disk writes a sector completely or not at all. */
function* sectors(change: Change): Generator<Change> {
  if ('length' in change) return yield change;
  for (let from = 0; from < change.bytes.length; ) {
    const to = Math.min(change.bytes.length, from + SECTOR - ((change.at + from) % SECTOR));
    yield { at: change.at + from, bytes: change.bytes.subarray(from, to) };
    from = to;
  }
}

/** What survives of unsynced writes: nothing, everything, or each sector at random. */
export type Survival = 'nothing' | 'everything' | (() => boolean);

/** The files of one folder. */
export class Disk {
  readonly #files = new Map<string, File>();

  #file(path: string): File {
    let file = this.#files.get(path);
    if (file === undefined || file.removed) {
      file = { synced: Buffer.alloc(0), changes: [], named: false, removed: false };
      this.#files.set(path, file);
    }
    return file;
  }

  /** Applies a system call that concerns the disk; ignores others. */
  apply(event: Event): void {
    if (event.kind === 'create') this.#file(event.path);
    if (event.kind === 'write' || event.kind === 'truncate') this.#file(event.path).changes.push(event);
    if (event.kind === 'sync') this.#sync(event.path);
    const removed = event.kind === 'remove' ? this.#files.get(event.path) : undefined;
    if (removed !== undefined) removed.removed = true;
  }

  /** Syncs a file, or the folder that holds the names. */
  #sync(path: string): void {
    const file = this.#files.get(path);
    if (file !== undefined) {
      file.synced = apply(file.synced, file.changes);
      file.changes = [];
      return;
    }
    for (const [name, entry] of this.#files) {
      if (dirname(name) !== path) continue;
      if (entry.removed) this.#files.delete(name);
      entry.named = true;
    }
  }

  /** Writes the surviving content into a new folder. */
  rebuild(folder: string, survival: Survival): void {
    mkdirSync(folder);
    for (const [path, { synced, changes, named, removed }] of this.#files) {
      if (survival === 'everything' ? removed : !named) continue;
      const parts = typeof survival === 'function' ? changes.flatMap((change) => [...sectors(change)]).filter(survival) : changes;
      const content = survival === 'nothing' ? synced : apply(synced, parts);
      writeFileSync(join(folder, basename(path)), content);
    }
  }
}
