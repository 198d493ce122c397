/**
 * The file of `serve --relay-keys`: secret keys of the gateway, and the relays that may bring messages. The newest key is published, and
 * older ones still open messages until their last day, because apps in the field have them built in.
 */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { dayText, encodeKeys, type KeyPair, pairOf } from '@murmuration/shared';
import { z } from 'zod';
import { type CheckToken, type TokenKey, tokenCheck } from './tokens.ts';

/** Bytes as base64url, in their one spelling. */
const bytes = (length: number): z.ZodType<string> =>
  z.string().refine((text) => {
    const decoded = Buffer.from(text, 'base64url');
    return decoded.length === length && decoded.toString('base64url') === text;
  }, `expected ${length} bytes as base64url`);

/** True if all are different. */
const differ = (all: readonly unknown[]): boolean => new Set(all).size === all.length;

/** The file. */
export interface RelayFile {
  readonly keys: readonly {
    readonly id: number;
    /** 32 bytes as base64url. */
    readonly secret: string;
    /** The last day, in UTC, on which it opens messages; absent for the newest key. */
    readonly until?: string;
  }[];
  readonly relays: readonly {
    readonly name: string;
    /** SHA-256 of its token, in hex. */
    readonly hash: string;
    /** Messages that it may bring in a minute; absent for no limit. */
    readonly perMinute?: number;
  }[];
  /** Keys of tokens, for the apps whose reports need one. */
  readonly tokens?: readonly TokenKey[];
}

const form: z.ZodType<RelayFile> = z.strictObject({
  keys: z
    .array(z.strictObject({ id: z.int().min(0).max(255), secret: bytes(32), until: z.iso.date().exactOptional() }))
    .min(1)
    .refine((keys) => differ(keys.map(({ id }) => id)), 'expected ids that differ')
    .refine((keys) => differ(keys.map(({ secret }) => secret)), 'expected secrets that differ')
    .refine(
      (keys) => keys.every(({ until }, i) => (until === undefined) === (i === keys.length - 1)),
      'expected a last day for each key but the newest, which is the last',
    ),
  relays: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[\w.-]{1,64}$/, 'expected a name of letters, digits, ., - and _'),
        hash: z.string().regex(/^[0-9a-f]{64}$/),
        perMinute: z.int().positive().exactOptional(),
      }),
    )
    .refine((relays) => differ(relays.map(({ name }) => name)), 'expected names that differ'),
  tokens: z
    .array(
      z.strictObject({
        app: z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, 'expected the name of an app'),
        secret: bytes(32),
        from: z.iso.date(),
      }),
    )
    .refine((tokens) => differ(tokens.map(({ app }) => app)), 'expected apps that differ')
    .exactOptional(),
});

/** Parses a file. @throws {RangeError} that says what is wrong, and quotes no secret */
export function parseRelayFile(text: string): RelayFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new RangeError('expected JSON, got another text');
  }
  const { data, error } = form.safeParse(json);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new RangeError(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
}

/** The secret keys and the relays of a gateway, ready to use. */
export interface RelayKeys {
  /** The key configuration of the newest key, as `application/ohttp-keys`. */
  readonly published: Uint8Array;
  /** The key pair of a key that is in force on a day. */
  readonly pairOf: (id: number, day: number) => KeyPair | undefined;
  /** The relay of a value of `Authorization`. */
  readonly relayOf: (authorization: string | undefined) => RelayFile['relays'][number] | undefined;
  readonly checkToken: CheckToken;
}

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Prepares the keys of a file. */
export async function openRelayKeys({ keys, relays, tokens = [] }: RelayFile): Promise<RelayKeys> {
  const pairs = await Promise.all(
    keys.map(async ({ id, secret, until }) => ({ id, until, pair: await pairOf(Buffer.from(secret, 'base64url')) })),
  );
  const newest = pairs.at(-1) as (typeof pairs)[number];
  return {
    published: encodeKeys([{ id: newest.id, publicKey: newest.pair.publicKey }]),
    pairOf: (id, day) => pairs.find((each) => each.id === id && (each.until === undefined || dayText(day) <= each.until))?.pair,
    relayOf: (authorization = '') => {
      const given = hashOf(authorization.replace(/^Bearer /i, ''));
      return relays.find((relay) => timingSafeEqual(Buffer.from(relay.hash, 'hex'), given));
    },
    checkToken: tokenCheck(tokens),
  };
}

/** A file with a new key at its end. The key before it opens messages for so many days more, and those that open none are dropped. */
export function rotated(file: RelayFile | undefined, today: number, openFor: number): RelayFile {
  const { keys = [], relays = [], ...more } = file ?? {};
  const kept = keys.map((key) => ({ ...key, until: key.until ?? dayText(today + openFor) })).filter(({ until }) => until >= dayText(today));
  const taken = kept.map(({ id }) => id);
  const last = keys.at(-1)?.id ?? 0;
  const id = Array.from({ length: 256 }, (_, i) => (last + 1 + i) % 256).find((each) => !taken.includes(each));
  if (id === undefined) throw new RangeError('expected at most 255 keys in force, got more');
  return { keys: [...kept, { id, secret: randomBytes(32).toString('base64url') }], relays, ...more };
}

/** A file that admits a relay, or gives it another token, and the token, which is in no file. Without a limit it keeps the one that it has. */
export function admitted(
  { relays, ...more }: RelayFile,
  name: string,
  perMinute: number | undefined = relays.find((relay) => relay.name === name)?.perMinute,
): { readonly file: RelayFile; readonly token: string } {
  const token = `rt_${randomBytes(24).toString('base64url')}`;
  const others = relays.filter((relay) => relay.name !== name);
  const relay = { name, hash: hashOf(token).toString('hex'), ...(perMinute !== undefined && { perMinute }) };
  return { file: { ...more, relays: [...others, relay] }, token };
}

/** A file whose relay is as a change makes it, or gone. @throws {RangeError} when it has no relay of this name */
export function changed(
  { relays, ...more }: RelayFile,
  name: string,
  change: (relay: RelayFile['relays'][number]) => RelayFile['relays'][number] | undefined,
): RelayFile {
  if (!relays.some((relay) => relay.name === name))
    throw new RangeError(`expected a relay of the file (${relays.map((relay) => relay.name).join(', ') || 'it has none'}), got ${name}`);
  return { ...more, relays: relays.flatMap((relay) => (relay.name === name ? (change(relay) ?? []) : relay)) };
}

/**
 * A file with a key of tokens for an app, and the key. Batches of a day from `from` on need a token; where the app has a key, and no day is given,
 * the file is as it was.
 */
export function withTokens(
  file: RelayFile,
  app: string,
  today: number,
  from?: number,
): { readonly file: RelayFile; readonly key: TokenKey } {
  const { tokens = [] } = file;
  const known = tokens.find((each) => each.app === app);
  if (known !== undefined && (from === undefined || dayText(from) === known.from)) return { file, key: known };
  const secret = known?.secret ?? randomBytes(32).toString('base64url');
  const key = { app, secret, from: dayText(from ?? today) };
  return { file: { ...file, tokens: [...tokens.filter((each) => each !== known), key] }, key };
}
