/** `--collector URL` and `--port N`, of the examples that are pages. */

import { parseArgs } from 'node:util';
import type { WebServer } from './static.ts';

/** Serves until Ctrl-C, and says where. */
export async function serveFromCommandLine(serve: (collector: string, port: number) => Promise<WebServer>): Promise<void> {
  const { values } = parseArgs({
    options: { collector: { type: 'string', default: 'http://127.0.0.1:8080' }, port: { type: 'string', default: '8090' } },
  });
  const { address } = await serve(new URL(values.collector).origin, Number(values.port));
  process.stdout.write(`${address} reports to ${values.collector}\n`);
}
