/** Write keys, which are public, and access tokens, which are secret. Both are drawn at random. */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of a write key. It must be unique and hard to guess, but anybody can read it in the app. */
const KEY_BYTES = 16;
/** Bytes of a token: 256 bits. */
const TOKEN_BYTES = 32;

/** A new write key. */
export const newKey = (): string => `pk_${randomBytes(KEY_BYTES).toString('base64url')}`;

/** A new access token. */
export const newToken = (): string => `at_${randomBytes(TOKEN_BYTES).toString('base64url')}`;

/** What is stored of a token. */
export const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Whether two hashes are equal, in a time that does not depend on where they differ. */
export const isSame = (one: Uint8Array, other: Uint8Array): boolean => one.length === other.length && timingSafeEqual(one, other);
