/** A page gets its token from the app's own server and keeps it in IndexedDB; the report leaves at another opening, an hour later. */

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
import { expect, test } from 'vitest';
import { admitted, openRelayKeys, rotated } from '#collector/ingest/relay-keys.ts';
import { startRelay } from '../../examples/relay/relay.ts';
import { bundle } from '../kit/bundle.ts';
import { KEY, SECRET } from '../kit/tokens.ts';
import { launchChromium } from '../setup/chromium.ts';
import { PATIENCE, watchedContext } from './context.ts';

const spec = { app: 'paid', version: 1, reports: 'alone', relay: 'required', budget: { epsilon: 1, per: 'month' } } as const;
const schema = defineSchema({ ...spec, metrics: { dark: flag({ epsilon: 1, description: 'Dark?' }) } });
const TODAY = dayNumber(Date.now());

test(
  'a page asks for a token at one opening, and reports at the next',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-tokens-'));
    const { file, token } = admitted(rotated(undefined, TODAY, 0), 'edge');
    const relayFile = { ...file, tokens: [{ app: 'paid', secret: SECRET, from: dayText(TODAY) }] };
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
    const browser = await launchChromium();
    const outcomes: unknown[] = [];
    try {
      const { context, complaints } = await watchedContext(browser);
      for (const hash of ['', '#later']) {
        const page = await context.newPage();
        await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${hash}`);
        await page.waitForFunction(() => document.title === 'done');
        outcomes.push(await page.evaluate('window.outcomes'));
        await page.close();
      }
      expect(outcomes).toEqual([['recorded'], ['delivered']]);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      server.close();
      await relay.close();
    }
    expect(accounts).toEqual(['account=ada']);
    expect((await collector.store.read({ schemas: [schema.wire], metric: 'dark' })).reports).toBe(1);
    issuer.close();
    await collector.close();
    await rm(folder, { recursive: true });
  },
  PATIENCE,
);
