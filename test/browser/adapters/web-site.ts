/** Pages with the web storage: `/` and, where nothing may be stored, `/sandboxed`; workers run `/entry.js`. */

import { join } from 'node:path';
import { build } from 'esbuild';
import { type RunningServer, startServer } from '../../kit/transport-server.ts';

/** Serves them, and web-entry.ts as their script. */
export async function openWebSite(): Promise<RunningServer> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'web-entry.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  const script = outputFiles[0]?.text ?? '';
  return startServer((path, response) => {
    if (path === '/entry.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    else {
      response
        .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': path === '/sandboxed' ? 'sandbox allow-scripts' : '' })
        .end('<!doctype html><title>storage</title><body><script src="/entry.js"></script>');
    }
    return true;
  });
}
