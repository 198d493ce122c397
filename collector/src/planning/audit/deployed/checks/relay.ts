/**
 * Messages through a relay: whom they go to, for which key they are sealed, that each has the same size and one report, that none goes beside
 * them, and that no two leave at one moment. A page without messages has no such rows, unless its schema demands a relay.
 */

import { createHash } from 'node:crypto';
import { type Batch, decodeKeys, encodeKeys, TOKEN_SCHEME } from '@murmuration/shared';
import { batchesOf } from '../batches.ts';
import { type Check, listed, type Row, row } from '../check.ts';
import type { Seen } from '../investigation.ts';
import type { Message, MessageKey } from '../messages.ts';
import type { Sent } from '../site.ts';

const MESSAGES = 'messages';
const RELAY = 'relay';
const KEYS = 'key of the collector';
const PAST = 'past the relay';
const MOMENTS = 'moments';

const DAY = 86_400_000;
/** Milliseconds within which two reports leave at one moment. The random times of two honest ones are so close in one of some 8,000 pairs. */
const MOMENT = 10_000;

type Relayed = Sent & { readonly message: Message };

const relayedOf = ({ sent }: Seen): readonly Relayed[] =>
  sent.filter((each): each is Relayed => each.message !== undefined && (each.message.key !== undefined || each.isReport));

/** True for a token (docs/relay.md), which is good for one report and is none. */
const isToken = ([name, value]: Message['fields'][number]): boolean => name === 'authorization' && value.startsWith(TOKEN_SCHEME);

const isOpened = ({ message }: Relayed): boolean => message.key !== undefined;

const batchOf = (sent: Sent): Batch | undefined => batchesOf([sent])[0]?.batch;

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** Members of a batch (docs/format.md). Any other could name the device. */
const MEMBERS: ReadonlySet<string> = new Set(['v', 'schema', 'day', 'batch', 'segment', 'reports']);

/** Faults of a message: whatever is in it besides one report. */
function faultsOf(sent: Relayed): readonly string[] {
  const { message, method, url, isReport } = sent;
  if (message.key === undefined) return [`a message to ${message.url} that nobody can read`];
  const batch = batchOf(sent);
  if (!isReport || method !== 'POST' || batch === undefined) return [`another request than a report: ${method} ${url}`];
  const fields = message.fields.filter((field) => !isToken(field) && field.join() !== 'content-type,text/plain');
  return [
    ...fields.map(([name, value]) => `a field that no report needs: ${name}: ${value}`),
    ...Object.keys(batch).flatMap((member) => (MEMBERS.has(member) ? [] : [`a batch with the member ${member}`])),
    ...(batch.reports.length === 1 ? [] : [`a message with ${batch.reports.length} reports`]),
  ];
}

function messagesRow(relayed: readonly Relayed[]): Row {
  const sizes = distinct(relayed.map(({ message }) => `${message.bytes.length / 2} bytes`));
  const urls = distinct(relayed.filter(isOpened).map(({ url }) => url));
  const faults = [
    ...distinct(relayed.flatMap(faultsOf)),
    ...(sizes.length > 1 ? [`messages of several sizes: ${sizes.join(', ')}`] : []),
    ...(urls.length > 1 ? [`messages for several addresses: ${listed(urls)}`] : []),
  ];
  const why = !relayed.every(isOpened)
    ? '. It was not sealed with WebCrypto for a key that the page imported. If it is no report, name its address under "own" in the plan'
    : '';
  if (faults.length > 0) return row(MESSAGES, 'failed', `the page sent ${listed(faults)}${why}`);
  const tokens = relayed.filter(({ message }) => message.fields.some(isToken)).length;
  const paid = tokens > 0 ? `. ${tokens} have a token, which is no report` : '';
  return row(
    MESSAGES,
    'passed',
    `${relayed.length} messages for ${urls[0]}, each with one report and nothing else, all of ${sizes[0]}${paid}`,
  );
}

function relayRow(relayed: readonly Relayed[], page: string): Row {
  const relays = distinct(relayed.map(({ message }) => message.url));
  if (relays.length > 1)
    return row(RELAY, 'failed', `messages go to several addresses, of which each device may have its own: ${listed(relays)}`);
  const [relay = ''] = relays;
  const { origin } = new URL(relay);
  const collectors = relayed.filter(isOpened).map(({ url }) => (URL.canParse(url) ? new URL(url).origin : ''));
  if (collectors.includes(origin))
    return row(RELAY, 'failed', `${relay} is at the collector's own origin, so one party sees addresses and reports`);
  if (origin === new URL(page).origin) return row(RELAY, 'failed', `${relay} is at the origin of the page, so the app is its own relay`);
  return row(
    RELAY,
    'passed',
    `messages go to ${relay}, another origin than the page's and the collector's. Only people can tell who runs it`,
  );
}

/** The key configuration that the collector publishes, in hexadecimal digits, or why there is none. */
async function publishedKey(address: string): Promise<MessageKey | string> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) return `${address}: status ${response.status}`;
    const { id, publicKey } = decodeKeys(new Uint8Array(await response.arrayBuffer()));
    return { id, publicKey: Buffer.from(publicKey).toString('hex') };
  } catch (error) {
    return `${address}: ${(error as Error).message}`;
  }
}

async function keysRow(relayed: readonly Relayed[], seen: readonly Seen[]): Promise<Row> {
  const used = relayed.flatMap(({ message, url }) => (message.key ? [{ ...message.key, url }] : []));
  const [first] = used;
  if (first === undefined) return row(KEYS, 'not tested', 'no message was opened');
  const fetched = seen
    .flatMap(({ sent }) => sent)
    .find(({ method, url }) => method === 'GET' && new URL(url).pathname.endsWith('/v1/relay'));
  if (fetched) return row(KEYS, 'failed', `the page asks for its key at ${fetched.url}, and each device could get another one`);
  const wordsOf = ({ id, publicKey }: MessageKey): string => `${id}, ${publicKey}`;
  const all = distinct(used.map(wordsOf));
  if (all.length > 1)
    return row(KEYS, 'failed', `messages are sealed for ${all.length} keys, and one that a device has for itself names it: ${listed(all)}`);
  const configuration = encodeKeys([{ id: first.id, publicKey: Uint8Array.from(Buffer.from(first.publicKey, 'hex')) }]);
  const digest = createHash('sha256').update(configuration).digest('hex');
  const words = `all messages are sealed for the key ${all[0]}, keys: '${Buffer.from(configuration).toString('base64url')}', SHA-256 ${digest}`;
  const published = await publishedKey(first.url.replace(/\/v1\/reports.*$/, '/v1/relay'));
  if (typeof published === 'string') return row(KEYS, 'not tested', `${words}. Nothing to compare it with: ${published}`);
  if (wordsOf(published) === all[0]) return row(KEYS, 'passed', `${words}, which is what the collector publishes, as seen from here`);
  return row(
    KEYS,
    'failed',
    `${words}. The collector publishes ${wordsOf(published)}: an app that is older than this key must be built again, and any other key may be one device's own`,
  );
}

function pastRow(seen: readonly Seen[], required: ReadonlySet<string>): Row {
  const direct = seen.flatMap(({ sent }) => sent.filter(({ isReport, message }) => isReport && message === undefined));
  const relayed = new Set(seen.flatMap(relayedOf).flatMap((each) => batchOf(each)?.schema ?? []));
  const found = direct.flatMap((each) => {
    const wire = batchOf(each)?.schema ?? '';
    if (required.has(wire)) return [`a report of ${wire} went to ${each.url}, and its schema says relay: 'required'`];
    return relayed.has(wire) ? [`a report of ${wire} went to ${each.url}, beside those through the relay`] : [];
  });
  if (found.length > 0) return row(PAST, 'failed', listed(distinct(found)));
  if (relayed.size === 0) return row(PAST, 'not tested', 'no report was seen');
  const words = required.size > 0 ? "The schema says relay: 'required', so the collector refuses them" : 'The collector would take them';
  return row(PAST, 'passed', `no report went past the relay. ${words}`);
}

/** The pairs of reports in a visit that left at one moment, and the first message that left before its day was over. */
function momentsRow(all: readonly Seen[]): Row {
  const early: string[] = [];
  const times: string[] = [];
  const close = new Set<string>(); // visits of one seed have the same times
  for (const seen of all) {
    const firsts = new Map<string, number>(); // a retry is no report of its own
    for (const sent of relayedOf(seen)) {
      const batch = batchOf(sent);
      if (batch === undefined) continue;
      const end = Date.parse(batch.day) + DAY;
      if (sent.time < end) early.push(`a report of ${batch.day} left at ${new Date(sent.time).toISOString()}`);
      if (!firsts.has(batch.batch)) firsts.set(batch.batch, sent.time);
    }
    const moments = [...firsts.values()].sort((a, b) => a - b);
    for (const [at, time] of moments.entries()) if (at > 0 && time - (moments[at - 1] as number) < MOMENT) close.add(`${at} ${time}`);
    times.push(...moments.map((time) => new Date(time).toISOString().slice(11, 16)));
  }
  if (early.length > 0) return row(MOMENTS, 'failed', `before its day was over, ${listed(early)}`);
  // One pair may meet by chance.
  if (close.size > 1)
    return row(
      MOMENTS,
      'failed',
      `${close.size} times two reports of a device left within ${MOMENT / 1_000} s, and whoever sees when they arrive joins them`,
    );
  if (times.length === 0) return row(MOMENTS, 'not tested', 'no message was opened');
  return row(MOMENTS, 'passed', `each report left after its day, and no two together: ${listed(distinct(times), 12)} UTC`);
}

export const relay: Check = {
  name: RELAY,
  run: async (investigation) => {
    const { devices } = await investigation.known();
    const stories = (await investigation.stories()).map(([, seen]) => seen);
    const hasActs = investigation.site.plan.acts !== undefined && devices.length > 0;
    const months = hasActs ? (await investigation.months()).slice(-1).map(([, seen]) => seen) : [];
    const seen = [...stories, ...months];
    const relayed = seen.flatMap(relayedOf);
    const required = new Set(devices.flatMap(({ document, wire }) => (document.relay === 'required' ? [wire] : [])));
    if (relayed.length === 0 && required.size === 0) return [];
    const past = pastRow(seen, required);
    if (relayed.length === 0) return [row(MESSAGES, 'not tested', "the schema says relay: 'required', and no message was seen"), past];
    return [messagesRow(relayed), relayRow(relayed, investigation.site.url), await keysRow(relayed, seen), past, momentsRow(seen)];
  },
};
