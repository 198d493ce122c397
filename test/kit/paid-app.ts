/** An app whose page reports through the example's relay with tokens that the app's own server issues: all parts on free ports. */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineSchema, flag } from '@murmuration/client';
import { createCollector } from '@murmuration/collector';
import { tokenIssuer } from '@murmuration/collector/tokens';
import { dayNumber, dayText } from '@murmuration/shared';
import express from 'express';
import { admitted, openRelayKeys, rotated } from '#collector/ingest/relay-keys.ts';
import { startRelay } from '../../examples/relay/relay.ts';
import { bundle } from './bundle.ts';
import { KEY, SECRET } from './tokens.ts';

const spec = { app: 'paid', version: 1, reports: 'alone', relay: 'required', budget: { epsilon: 1, per: 'month' } } as const;
const schema = defineSchema({ ...spec, metrics: { dark: flag({ epsilon: 1, description: 'Dark?' }) } });

/** The app while it runs. */
export interface PaidApp {
  /** The address of a visit: the first records an answer, the second is two hours later. `outcomes` of the window are complete at the title `done`. */
  readonly visits: readonly [first: string, second: string];
  /** The cookies with which tokens were asked for. */
  readonly accounts: readonly string[];
  /** Reports that the collector has counted. */
  readonly counted: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Starts the app, and a collector that takes its reports with a token through the relay only. */
export async function startPaidApp(): Promise<PaidApp> {
  const today = dayNumber(Date.now());
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-tokens-'));
  const { file, token } = admitted(rotated(undefined, today, 0), 'edge');
  const relayFile = { ...file, tokens: [{ app: 'paid', secret: SECRET, from: dayText(today) }] };
  const collector = await createCollector({ open: true, schemas: [schema.document], data: join(folder, 'data'), relay: relayFile });
  const relay = await startRelay({ '/app': { gateway: `${await collector.listen(0, '127.0.0.1')}/v1/relay`, token } });
  const keys = Buffer.from((await openRelayKeys(file)).published).toString('base64url');
  const { text } = await bundle(`
    import { createTelemetry, defineSchema, flag } from '@murmuration/client';
    import { relayTransport } from '@murmuration/client/relay';
    import { slotTokens } from '@murmuration/client/tokens';
    const schema = defineSchema({ ...${JSON.stringify(spec)}, metrics: { dark: flag({ epsilon: 1, description: 'Dark?' }) } });
    // The day of the report is over, and the second opening is two hours later.
    const now = () => Date.now() + 172_800_000 + (location.hash === '#later' ? 7_200_000 : 0);
    const tokens = slotTokens({ schema, issuer: '/tokens', key: '${KEY}', now });
    const transport = relayTransport({ schema, relay: '${relay.address}/app', keys: '${keys}', tokens, now });
    window.outcomes = [];
    const telemetry = createTelemetry({ schema, endpoint: 'https://t.example.com', transport, consent: 'granted',
      clock: { now: () => Date.now() + (location.hash === '#later' ? 86_400_000 : 0), after: () => () => {} },
      onOutcome: ({ result, reason }) => window.outcomes.push(reason ?? result) });
    if (location.hash === '') telemetry.record('dark', true);
    await telemetry.flush();
    document.title = 'done';`);
  const accounts: string[] = [];
  const issuer = tokenIssuer({
    ...{ secret: SECRET, schemas: [schema.document], data: join(folder, 'tokens') },
    accountOf: ({ headers }) => /account=(\w+)/.exec(headers.cookie ?? '')?.[1],
  });
  const policy = `default-src 'none'; script-src 'self'; connect-src 'self' ${new URL(relay.address).origin}`;
  const app = express();
  app.post('/tokens', (request, response, next) => {
    accounts.push(request.headers.cookie ?? 'none');
    issuer.handler(request, response, next);
  });
  app.use(({ url }, response) => {
    const isScript = url === '/app.js';
    response.set('content-security-policy', policy).set('set-cookie', 'account=ada; SameSite=Lax; HttpOnly');
    response.type(isScript ? 'text/javascript' : 'text/html');
    response.send(isScript ? text : '<!doctype html><title>app</title><script type="module" src="/app.js"></script>');
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    visits: [url, `${url}#later`],
    accounts,
    counted: async () => (await collector.store.read({ schemas: [schema.wire], metric: 'dark' })).reports,
    close: async () => {
      server.close();
      issuer.close();
      await relay.close();
      await collector.close();
      await rm(folder, { recursive: true });
    },
  };
}
