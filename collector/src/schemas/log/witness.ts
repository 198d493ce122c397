/** The file of a witness: the key on its first line, and the last checkpoint that was seen. */

import { openCheckpoint } from './note.ts';
import { checkGrown, type ReadLog, readLog } from './read.ts';

export interface Witness {
  readonly key: string;
  readonly note: string;
}

/** Parses the text of the file. */
export function parseWitness(text: string): Witness {
  const [key = '', ...rest] = text.split('\n');
  return { key, note: rest.join('\n') };
}

/**
 * Reads a collector's log by the key of a witness, and checks that it begins with what the witness has seen.
 *
 * @throws {Failure | RangeError} when it does not, or can't be read
 */
export async function readWitnessed(collector: string, { key, note }: Witness): Promise<ReadLog> {
  const before = openCheckpoint(note, key);
  const log = await readLog(collector, key);
  checkGrown(log, before);
  return log;
}
