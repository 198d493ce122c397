/** The file of a witness, as an option of two commands. */

import { readFileSync } from 'node:fs';
import { UsageError } from '../base/fault.ts';
import { unreadBecause } from '../base/usage.ts';
import { parseWitness, type Witness } from '../schemas/log/witness.ts';

/** @throws {UsageError} when the file can't be read */
export function readWitness(file: string): Witness {
  try {
    return parseWitness(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--witness: ${unreadBecause(error)}`);
  }
}
