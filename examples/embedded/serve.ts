/**
 * `node examples/embedded/serve.ts [--port N]`: an Express app that has a collector in it. The app's pages report to `/telemetry`, where the
 * dashboard is as well. The app decides who may see that: here, only this machine.
 */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { type CollectorOptions, createCollector } from '@murmuration/collector';
import express from 'express';
import { schema } from '../cli/schema.ts';

/** A running app. */
export interface EmbeddedApp {
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Starts the app on 127.0.0.1; port 0 takes a free one. */
export async function serveEmbedded(
  port: number,
  options: Pick<CollectorOptions, 'data'> & Partial<CollectorOptions>,
): Promise<EmbeddedApp> {
  const collector = await createCollector({ open: true, schemas: [schema.document], minimum: 1, ...options });
  const app = express();
  app.use('/telemetry', collector.router); // before parsers of bodies: the collector reads them itself
  app.use(express.json());
  app.get('/', (_request, response) => void response.type('html').send('<!doctype html><title>Notes</title><h1>Notes</h1>'));
  app.post('/notes', (request, response) => void response.json({ saved: request.body }));

  const server: Server = app.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close(); // first no more requests, then no more collector
      await closed;
      await collector.close();
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8090' } } });
  const { address, close } = await serveEmbedded(Number(values.port), { data: '.data/embedded' });
  console.log(`${address}/ and ${address}/telemetry/`);
  process.once('SIGINT', close).once('SIGTERM', close);
}
