/** Each engine seals a message for the gateway with its own WebCrypto, and opens the response. */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRequest, pairOf } from '@murmuration/shared';
import { bundle } from '../kit/bundle.ts';
import { inEachEngine } from './each.ts';

const PROGRAM = `
  import { sealRequest } from '@murmuration/shared';
  window.seal = async (publicKey) => {
    const { message, openResponse } = await sealRequest({ id: 1, publicKey: Uint8Array.from(publicKey) }, new TextEncoder().encode('a report'));
    window.open = async (response) => new TextDecoder().decode(await openResponse(Uint8Array.from(response)));
    return [...message];
  };`;

inEachEngine(({ launch }, test) => {
  test('seals a request and opens its response', async ({ expect }) => {
    const { text } = await bundle(PROGRAM);
    const server = createServer(({ url }, response) => {
      const isScript = url === '/seal.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? text : '<!doctype html><title>page</title><script type="module" src="/seal.js"></script>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const profile = await mkdtemp(join(tmpdir(), 'murmuration-sealing-'));
    const browser = await launch(profile);
    const page = await browser.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const pair = await pairOf(new Uint8Array(32).fill(9));
    const message = await page.evaluate<number[]>(`seal(${JSON.stringify([...pair.publicKey])})`);
    const { request, sealResponse } = await openRequest(Uint8Array.from(message), () => pair);
    expect(Buffer.from(request).toString()).toBe('a report');
    const response = await sealResponse(Buffer.from('an answer'));
    expect(await page.evaluate(`window.open(${JSON.stringify([...response])})`)).toBe('an answer');
    await browser.close();
    server.close();
    await rm(profile, { recursive: true });
  });
});
