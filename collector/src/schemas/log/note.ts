/**
 * Signed notes (https://c2sp.org/signed-note) with Ed25519 keys, and checkpoints (https://c2sp.org/tlog-checkpoint): the size and the root of
 * a log, signed. Other tools for such logs read them.
 */

import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from 'node:crypto';

/** The byte that says Ed25519. */
const ED25519 = 1;

/** The bytes before the 32 of a public key in its DER form (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** A key that signs: its name, which is the log's, and its secret as PKCS #8 in base64. */
export interface LogKey {
  readonly name: string;
  readonly secret: string;
}

/** The part of a log that was signed. */
export interface Checkpoint {
  readonly origin: string;
  /** Entries. */
  readonly size: number;
  readonly root: Buffer;
}

/** A key that verifies. */
interface Verifier {
  readonly name: string;
  readonly id: Buffer;
  readonly key: KeyObject;
}

const idOf = (name: string, bytes: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), bytes]), 'buffer').subarray(0, 4);

/** A new key, whose name nobody else has. */
export function createLogKey(): LogKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  return { name: `murmuration/${hash('sha256', spki).slice(0, 16)}`, secret };
}

/** A key's public half as the bytes that its text has. */
function publicBytes({ secret }: LogKey): Buffer {
  const key = createPublicKey(createPrivateKey({ key: Buffer.from(secret, 'base64'), type: 'pkcs8', format: 'der' }));
  return Buffer.concat([Uint8Array.of(ED25519), key.export({ type: 'spki', format: 'der' }).subarray(SPKI.length)]);
}

/** The text of the public half: `name+id+key`. */
export function verifierText(key: LogKey): string {
  const bytes = publicBytes(key);
  return `${key.name}+${idOf(key.name, bytes).toString('hex')}+${bytes.toString('base64')}`;
}

/** @throws {RangeError} unless it is the text of a public Ed25519 key */
function parseVerifier(text: string): Verifier {
  const [, name = '', id = '', base64 = ''] = /^([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 33 || bytes[0] !== ED25519 || idOf(name, bytes).toString('hex') !== id)
    throw new RangeError(
      `key: expected a key as name+id+base64, as /.well-known/murmuration.json has it, got ${JSON.stringify(text.slice(0, 120))}`,
    );
  return {
    name,
    id: Buffer.from(id, 'hex'),
    key: createPublicKey({ key: Buffer.concat([SPKI, bytes.subarray(1)]), type: 'spki', format: 'der' }),
  };
}

/** Signs a text that ends with a line feed. */
export function signNote(text: string, key: LogKey): string {
  const signature = sign(
    null,
    Buffer.from(text),
    createPrivateKey({ key: Buffer.from(key.secret, 'base64'), type: 'pkcs8', format: 'der' }),
  );
  return `${text}\n— ${key.name} ${Buffer.concat([idOf(key.name, publicBytes(key)), signature]).toString('base64')}\n`;
}

/**
 * The text of a note that a key has signed. Signatures of other keys say nothing.
 *
 * @throws {RangeError} when the key has not signed it, or has signed something else
 */
export function openNote(note: string, verifier: string): string {
  const { name, id, key } = parseVerifier(verifier);
  const at = note.lastIndexOf('\n\n') + 1;
  const text = note.slice(0, at);
  const lines = note
    .slice(at + 1)
    .split('\n')
    .filter((line) => line.startsWith(`— ${name} `));
  const signatures = lines
    .map((line) => Buffer.from(line.slice(name.length + 3), 'base64'))
    .filter((bytes) => bytes.subarray(0, 4).equals(id));
  if (at === 0 || signatures.length === 0)
    throw new RangeError(`checkpoint: expected a note that ${name} has signed, got none of its signatures`);
  if (!signatures.every((bytes) => verify(null, Buffer.from(text), key, bytes.subarray(4))))
    throw new RangeError(`checkpoint: expected a signature of ${name} over this text, got another`);
  return text;
}

/** The text of a checkpoint. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string => `${origin}\n${size}\n${root.toString('base64')}\n`;

/** The checkpoint that a key has signed; a log signs with a key of its own name. @throws {RangeError} when it is none */
export function openCheckpoint(note: string, verifier: string): Checkpoint {
  const [origin = '', size = '', root = ''] = openNote(note, verifier).split('\n');
  const bytes = Buffer.from(root, 'base64');
  if (origin !== parseVerifier(verifier).name || !/^(0|[1-9]\d{0,9})$/.test(size) || bytes.length !== 32)
    throw new RangeError(
      `checkpoint: expected the name of its key, a size and a root, got ${JSON.stringify([origin, size, root].join('\n').slice(0, 200))}`,
    );
  return { origin, size: Number(size), root: bytes };
}
