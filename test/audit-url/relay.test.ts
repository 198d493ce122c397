/** `murmuration audit --url` on reports through a relay: messages are opened and answered, and each part of them is looked at. */

import { decodeResponse, encodeRequest, pairOf, sealRequest } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { launch } from '#collector/planning/audit/deployed/browser.ts';
import { relay } from '#collector/planning/audit/deployed/checks/relay.ts';
import type { Investigation } from '#collector/planning/audit/deployed/investigation.ts';
import { openMessage } from '#collector/planning/audit/deployed/messages.ts';
import { Visit } from '#collector/planning/audit/deployed/visit.ts';
import { builders, KEYS, PLAN, RELAY, relayed, script, serveFiles } from './apps.ts';

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const RECIPIENT = hexOf(KEYS.slice(5, 37));
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a message is opened with the pair that its page drew, and its answer is that of a collector', async () => {
  const secret = new Uint8Array(32).fill(9);
  const inner = { method: 'POST', scheme: 'https', authority: 't.example.com', path: '/v1/reports', fields: [], content: bytesOf('{}') };
  const configuration = { id: 7, publicKey: KEYS.slice(5, 37) };
  const { message, openResponse } = await sealRequest(configuration, encodeRequest(inner, 1_024), await pairOf(secret));
  const recipients = ['ab'.repeat(32), RECIPIENT];
  const opened = await openMessage(Buffer.from(message), { secrets: [hexOf(secret), 'cd'.repeat(32)], recipients });
  expect(opened?.request).toEqual(inner);
  expect(opened?.key).toEqual({ id: 7, publicKey: RECIPIENT });
  expect(decodeResponse(await openResponse(Uint8Array.from(opened?.answer.body as Buffer))).status).toBe(204);
  expect(await openMessage(Buffer.from(message), { secrets: ['cd'.repeat(32)], recipients })).toBeUndefined();
  expect(await openMessage(Buffer.from(message), { secrets: [hexOf(secret)], recipients: ['ab'.repeat(32)] })).toBeUndefined();
  expect(await openMessage(Buffer.from([7]), { secrets: [hexOf(secret)], recipients })).toBeUndefined();
});

test("a page's messages are opened, and leave at moments of their own while it stays open", async () => {
  const { url, close } = await serveFiles((await builders['esbuild']?.(script(relayed))) ?? {});
  const { browser, workers, close: end } = await launch();
  const site = {
    browser,
    workers,
    url,
    plan: PLAN,
    files: new Map(),
    secret: 'secret',
    hashes: new Map(),
    unwatched: new Set<string>(),
    background: { pending: 0 },
  };
  const visit = await Visit.begin(site);
  await visit.open();
  await visit.agree();
  await visit.act((_, [answer]) => answer);
  await visit.settle(3);
  expect(visit.reports).toEqual([]);
  await visit.stay();
  for (const day of [3, 4, 5]) {
    await visit.open(day);
    await visit.settle(3);
  }
  const { reports } = visit;
  expect(reports.map(({ message }) => [message?.url, message?.key])).toEqual(reports.map(() => [RELAY, { id: 7, publicKey: RECIPIENT }]));
  expect(new Set(reports.map(({ url: to }) => to))).toEqual(new Set([`${url}telemetry/v1/reports`]));
  // Each was answered, so none came again.
  expect(reports.map(({ body }) => JSON.parse(body).reports[0][0]).sort()).toEqual(['dark', 'plan', 'size']);
  await visit.close();
  await end();
  await close();
});

const DAY = 86_400_000;
const [SCHEMA, DATE] = ['audited/3/0123456789abcdef', '2026-11-20'];
const MIDNIGHT = Date.parse(DATE) + DAY;

/** A message, of which parts may differ. */
const sent = (number: number, { message = {}, batch = {}, ...parts }: Readonly<Record<string, unknown>> = {}) => ({
  method: 'POST',
  url: 'http://127.0.0.1:9/v1/reports',
  isReport: true,
  time: MIDNIGHT + 3_600_000 * number,
  body: JSON.stringify({ v: 1, schema: SCHEMA, day: DATE, batch: `${number}`, reports: [['dark', 'AA']], ...(batch as object) }),
  message: {
    url: RELAY,
    headers: {},
    bytes: 'ab'.repeat(1_079),
    key: { id: 7, publicKey: RECIPIENT },
    fields: [['content-type', 'text/plain']],
    ...(message as object),
  },
  ...parts,
});

/** The rows of requests, whose schema demands a relay unless it is told. */
async function rowsOf(requests: readonly object[], relayOf = 'required'): Promise<Readonly<Record<string, string>>> {
  const investigation = {
    site: { url: 'https://app.example/', plan: {} },
    known: async () => ({ devices: [{ wire: SCHEMA, document: { relay: relayOf } }] }),
    stories: async () => [[{}, { sent: requests }]],
  };
  const rows = await relay.run(investigation as unknown as Investigation);
  return Object.fromEntries(rows.map(({ check, verdict, evidence }) => [check, `${verdict}: ${evidence}`]));
}

describe('the rows of a relay', () => {
  test('pass for honest messages, and name relay and key', async () => {
    const { url, close } = await serveFiles({ '/v1/relay': KEYS });
    const rows = await rowsOf([1, 2, 3].map((number) => sent(number, { url: `${url}v1/reports` })));
    await close();
    expect(Object.values(rows).map((words) => words.split(':')[0])).toEqual(Array.from({ length: 5 }, () => 'passed'));
    expect(rows['relay']).toContain(`messages go to ${RELAY}`);
    expect(rows['key of the collector']).toContain(`7, ${RECIPIENT}`);
    expect(rows['messages']).toContain('all of 1079 bytes');
  });

  test('are none for a page that reports directly', async () => {
    expect(await rowsOf([{ ...sent(1), message: undefined }], '')).toEqual({});
  });

  const other = Buffer.from(KEYS).fill(3, 5, 37);
  test.each([
    ['another key that the collector publishes', 'key of the collector', undefined],
    ['a message that was not opened', 'messages', sent(2, { message: { key: undefined } })],
    ['a message of another size', 'messages', sent(2, { message: { bytes: 'ab' } })],
    [
      'a message with two reports',
      'messages',
      sent(2, {
        batch: {
          reports: [
            ['dark', 'AA'],
            ['dark', 'AA'],
          ],
        },
      }),
    ],
    ['a batch with another member', 'messages', sent(2, { batch: { user: 5 } })],
    ['a field that no report needs', 'messages', sent(2, { message: { fields: [['cookie', 'user=5']] } })],
    ['a message with another request', 'messages', sent(2, { isReport: false })],
    ['a message for another address', 'messages', sent(2, { url: 'http://127.0.0.1:9/v1/reports?user=5' })],
    ['another address at the relay', 'relay', sent(2, { message: { url: `${RELAY}/5` } })],
    ['another key', 'key of the collector', sent(2, { message: { key: { id: 8, publicKey: RECIPIENT } } })],
    ['a key that is fetched', 'key of the collector', { method: 'GET', url: 'https://t.example.com/v1/relay' }],
    ['a report past the relay', 'past the relay', { ...sent(2), message: undefined }],
    ['a report before its day is over', 'moments', sent(-1)],
  ])('fail for %s', async (_, check, cheat) => {
    const { url, close } = await serveFiles({ '/v1/relay': other });
    const rows = await rowsOf(cheat ? [sent(1), cheat] : [sent(1, { url: `${url}v1/reports` })]);
    await close();
    expect(rows[check]).toMatch(/^failed/);
  });

  test('fail for a relay that is the collector, or the page', async () => {
    const at = (url: string) => rowsOf([sent(1, { message: { url } })]).then(({ relay: words }) => words);
    expect(await at('http://127.0.0.1:9/relay')).toMatch(/^failed: .*collector's own origin/);
    expect(await at('https://app.example/relay')).toMatch(/^failed: .*origin of the page/);
  });

  test('fail where two pairs of reports left together, and pass where one did', async () => {
    const close = (number: number, by: number) => sent(number, { time: MIDNIGHT + by });
    expect((await rowsOf([close(1, 0), close(2, 5_000), close(3, DAY)]))['moments']).toMatch(/^passed/);
    expect((await rowsOf([close(1, 0), close(2, 5_000), close(3, 9_000)]))['moments']).toMatch(/^failed/);
    // A report that is tried again is one report.
    expect((await rowsOf([close(1, 0), close(1, 5_000), close(1, 9_000)]))['moments']).toMatch(/^passed/);
  });

  test('list a token, which is no report', async () => {
    const fields = [
      ['content-type', 'text/plain'],
      ['authorization', 'PrivateToken token=AAI'],
    ];
    expect((await rowsOf([sent(1, { message: { fields } })]))['messages']).toMatch(/^passed.*have a token/);
  });

  test('say that a relay is demanded and no message was seen', async () => {
    expect((await rowsOf([]))['messages']).toMatch(/^not tested/);
  });
});
