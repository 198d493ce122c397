/**
 * A page reports through the example's relay: WebCrypto of a browser, or noble where it has none, the preflight, and a policy that allows the
 * relay and no collector.
 */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCollector } from '@murmuration/collector';
import { relayed } from '@murmuration/examples/demo/schema';
import { GATEWAY, relayTo } from '@murmuration/examples/demo/through-relay';
import { expect, test } from 'vitest';
import { bundle } from '../kit/bundle.ts';
import { launchChromium } from '../setup/chromium.ts';
import { PATIENCE, watchedContext } from './context.ts';

test.each([
  { by: 'WebCrypto', before: '', primitives: 'undefined' },
  { by: 'noble', before: "Object.defineProperty(crypto, 'subtle', { value: undefined });", primitives: 'noblePrimitives()' },
])(
  'a page reports through a relay by $by, and connects to nothing else',
  async ({ before, primitives }) => {
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-relayed-'));
    const collector = await createCollector({ open: true, schemas: [relayed.document], data: folder, minimum: 1, relay: GATEWAY });
    const relay = await relayTo(await collector.listen(0, '127.0.0.1'));
    const { text } = await bundle(`
      import { createTelemetry } from '@murmuration/client';
      import { noblePrimitives } from '@murmuration/client/noble';
      import { relayTransport } from '@murmuration/client/relay';
      import { relayed as schema } from '@murmuration/examples/demo/schema';
      ${before}
      const primitives = ${primitives};
      const now = () => Date.now() + 172_800_000; // the day of the report is over
      const transport = relayTransport({ schema, relay: ${JSON.stringify(relay.address)}, keys: '${relay.keys}', primitives, now });
      const segment = { platform: 'desktop', version: '2.0', search: 'new' };
      window.outcomes = [];
      const telemetry = createTelemetry({ schema, endpoint: 'https://t.example.com', segment, transport, consent: 'granted',
        onOutcome: ({ result, reason }) => window.outcomes.push(reason ?? result) });
      telemetry.record('plan', 'plus');
      await telemetry.flush();
      document.title = 'done';`);
    const policy = `default-src 'none'; script-src 'self'; connect-src ${new URL(relay.address).origin}`;
    const server = createServer(({ url }, response) => {
      const isScript = url === '/app.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html').setHeader('content-security-policy', policy);
      response.end(isScript ? text : '<!doctype html><title>app</title><script type="module" src="/app.js"></script>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const browser = await launchChromium();
    try {
      const { context, complaints } = await watchedContext(browser);
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.waitForFunction(() => document.title === 'done');
      expect(await page.evaluate('window.outcomes')).toEqual(['recorded', 'delivered']);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      server.close();
      await relay.close();
    }
    expect((await collector.store.read({ schemas: [relayed.wire], metric: 'plan' })).reports).toBe(1);
    await collector.close();
    await rm(folder, { recursive: true });
  },
  PATIENCE,
);
