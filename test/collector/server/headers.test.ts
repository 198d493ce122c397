/** The headers of answers: what browsers may do with them, and nothing about the machine that sent them. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { text as streamText } from 'node:stream/consumers';
import { type Collector, createCollector } from '@murmuration/collector';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../kit/senders.ts';

let folder: string;
let collector: Collector;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(`${tmpdir()}/murmuration-headers-`);
  collector = await createCollector({ open: true, schemas: [schema.document], data: folder, leastFree: 0 });
  url = await collector.listen(0, '127.0.0.1');
});

afterAll(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

/** Every kind of answer to a reader: a page, files, JSON, text, refusals. */
const READS = [
  ['GET', '/'],
  ['GET', '/questions/plan'],
  ['GET', '/releases.html'],
  ['GET', '/v1/metrics'],
  ['GET', '/v1/metrics/plan/estimates'],
  ['GET', '/livez'],
  ['GET', '/readyz'],
  ['GET', '/metrics'],
  ['GET', '/nowhere'],
  ['GET', '/v1/metrics/nowhere/estimates'],
  ['GET', '/v1/metrics/%E0%A4%A/estimates'],
  ['PUT', '/v1/metrics'],
  ['DELETE', '/v1/reports'],
  ['TRACE', '/'],
] as const;

describe.each(READS)('%s %s', (method, path) => {
  /** Not with fetch, which does not send TRACE. */
  const ask = async (): Promise<{ readonly headers: Headers; readonly status: number; readonly text: string }> => {
    const outgoing = request(`${url}${path}`, { method }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const headers = new Headers(response.headers as Record<string, string>);
    return { headers, status: response.statusCode ?? 0, text: await streamText(response) };
  };

  test('lets a page run its own files only, in no frame, with no referrer and no guess of a type', async () => {
    const { headers } = await ask();
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'self'", "script-src 'self'", "object-src 'none'", "frame-ancestors 'self'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/script-src[^;]*'unsafe/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('has a type with its character set, and says nothing about program, version, files or calls', async () => {
    const { headers, status, text } = await ask();
    expect(headers.get('content-type')).toMatch(/; ?charset=utf-8/i);
    for (const name of ['server', 'x-powered-by', 'via']) expect(headers.get(name), name).toBeNull();
    if (status >= 400) expect(text).toMatch(/^\{"error":"[a-z-]+","expected":"[^\n]*\}\n$/);
    expect(text).not.toMatch(/\n\s+at |node_modules|\/collector\/src|file:\/\//);
  });
});

test('an answer to a report may be read by any page, is not kept by caches, and sets nothing', async () => {
  for (const body of ['nonsense', '']) {
    const { headers } = await fetch(`${url}/v1/reports`, {
      method: 'POST',
      body,
      headers: { origin: 'https://app.example', cookie: 'a=b' },
    });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toBeNull();
  }
});
