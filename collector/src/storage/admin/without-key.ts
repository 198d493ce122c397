/** Says in the log which apps have no write key, so that their batches are refused. */

import type { Logger } from 'pino';
import type { Administration } from './administration.ts';

/** @param place the option that names the store, as in `--data ./data` */
export function warnWithoutKey(
  { writableApps }: Pick<Administration, 'writableApps'>,
  apps: Iterable<string>,
  place: string,
  log: Pick<Logger, 'warn'>,
): void {
  for (const app of new Set(apps))
    if (!writableApps.has(app))
      log.warn(`no write key for ${app}, so its batches are refused: murmuration keys create --app ${app} ${place}`);
}
