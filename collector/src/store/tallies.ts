/** Opens the tallies of any store for reading, in any thread, from the plain data that the store gives as its `source`. */

import { openSqliteTallies } from './sqlite-reader.ts';
import type { PartsReader, TallySource } from './store.ts';

/**
 * Opens a connection that only reads what is folded. The caller closes it.
 *
 * @throws {Error} when the source can't be opened
 */
export const openTallies = ({ file }: TallySource): PartsReader => openSqliteTallies(file);
