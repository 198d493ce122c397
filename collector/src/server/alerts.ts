/**
 * Alerts: each new sign (answers/signs.ts) is posted once, as JSON, to an address that the operator gives. Signs hold at every look: in at
 * most 1 % of months does an app without liars show any. Signs that are there at the start are taken as known, so that a restart
 * repeats nothing. Nothing waits for an alert: it is tried five times and then given up with a line in the log.
 */

import { createHmac, hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sign } from '../answers/signs.ts';
import { retry } from '../base/retry.ts';

/** Milliseconds between two looks, until an attempt is given up, and before the second attempt; each later pause is four times as long. */
const [EVERY, LATE, PAUSE] = [300_000, 10_000, 1_000];
const ATTEMPTS = 5;
/** Signs that the text of an alert names. */
const NAMED = 10;

/** Options of alerts. */
export interface AlertParts {
  /** Where they go. A password in it is the secret that signs them, and is not sent. */
  readonly url: string;
  readonly signs: () => Promise<readonly Sign[]>;
  readonly log: Pick<Logger, 'error'>;
  readonly every?: number;
  readonly pause?: number;
}

/** The address of alerts without the secret, and the secret. @throws {RangeError} when it is no address of the web */
export function alertsAddress(text: string): { readonly url: string; readonly secret: string } {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new RangeError('expected an address such as https://hooks.example/murmuration');
  const secret = decodeURIComponent(url.password);
  url.username = '';
  url.password = '';
  return { url: url.href, secret };
}

const idOf = ({ app, metric, kind, day }: Sign): string => `${app}/${metric}/${kind}/${day}`;

/** The body of an alert. Chats that take webhooks show `text`. */
function bodyOf(signs: readonly Sign[]): string {
  const lines = signs.slice(0, NAMED).map(({ app, metric, day, evidence }) => `${app}/${metric}, ${day}: ${evidence}`);
  const more = signs.length > NAMED ? [`and ${signs.length - NAMED} more`] : [];
  return JSON.stringify({ text: [...lines, ...more].join('\n'), signs });
}

/** An answer after which another attempt is of no use. */
class Final extends Error {}

/** Posts a body once. @throws {Final} when the answer is that it is wrong; another error when it may be tried again */
async function post(url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<void> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(LATE)]);
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: either });
  await response.body?.cancel();
  if (response.ok) return;
  const message = `expected an answer such as 204, got ${response.status}`;
  throw response.status < 500 && ![408, 425, 429].includes(response.status) ? new Final(message) : new Error(message);
}

/** Starts to look for new signs. The function that is returned ends it. */
export function startAlerts({ url: text, signs, log, every = EVERY, pause = PAUSE }: AlertParts): () => void {
  const { url, secret } = alertsAddress(text);
  const control = new AbortController();
  const { signal } = control;
  let known: Set<string> | undefined;

  const send = async (fresh: readonly Sign[]): Promise<void> => {
    const body = bodyOf(fresh);
    const signed = secret !== '' && { 'x-murmuration-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
    // Each attempt has the same id, so that one whose answer was lost is known again.
    const headers = { 'content-type': 'application/json', 'x-murmuration-id': hash('sha256', body, 'hex'), ...signed };
    let attempts = 0;
    await retry(
      () => post(url, headers, body, signal),
      async (error) => {
        attempts++;
        if (signal.aborted || error instanceof Final || attempts === ATTEMPTS) throw error;
        await sleep(pause * 4 ** (attempts - 1), undefined, { ref: false, signal });
        return 0;
      },
    );
  };
  const look = async (): Promise<void> => {
    const found = await signs();
    const before = known;
    known = new Set([...(before ?? []), ...found.map(idOf)]);
    const fresh = before === undefined ? [] : found.filter((sign) => !before.has(idOf(sign)));
    if (fresh.length > 0) await send(fresh);
  };
  void (async () => {
    while (!signal.aborted) {
      // The address may be a secret, as that of a chat is, so the log has the host alone.
      await look().catch((err: unknown) => signal.aborted || log.error({ err, host: new URL(url).host }, 'an alert could not be sent'));
      await sleep(every, undefined, { ref: false, signal }).catch(() => undefined);
    }
  })();
  return () => control.abort();
}
