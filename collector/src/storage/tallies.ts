/** Opens the tallies of any store for reading, in any thread, from the plain data that the store gives as its `source`. */

import { openPostgresTallies } from './postgres/reader.ts';
import { openSqliteTallies } from './sqlite/reader.ts';
import type { PartsReader, TallySource } from './store.ts';

/**
 * Opens a connection that only reads. The caller closes it.
 *
 * @throws {Error} when the source can't be opened
 */
export const openTallies = (source: TallySource): PartsReader =>
  'file' in source ? openSqliteTallies(source.file) : openPostgresTallies(source);
