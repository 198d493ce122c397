/**
 * The part of the agent that opens messages through a relay: it draws the X25519 key pairs of the page from the audit's random numbers, and
 * keeps their secret halves and the public keys that scripts import. Messages that are sealed with such a pair are the same in two visits, byte
 * by byte, and the audit can read them as their sender could. Nothing that the page computes with a key is changed.
 */

import type { Act, Hook, SealingKeys } from './agent-api.ts';

/** The parts of WebCrypto that are used. The collector is compiled without the types of browsers. */
interface Subtle {
  readonly importKey: (form: string, key: unknown, algorithm: string, extractable: boolean, usages: readonly string[]) => Promise<unknown>;
  readonly exportKey: (form: string, key: unknown) => Promise<{ readonly x?: string }>;
}

/** Functions of the agent: `word` is a random word of 32 bits. */
export interface KeyParts {
  readonly hook: Hook;
  readonly word: () => number;
  readonly hex: (bytes: Uint8Array) => string;
}

/** Hooks the keys of X25519, and returns a function that tells them. It is sent as text, so it uses nothing outside of itself. */
export function watchKeys({ hook, word, hex }: KeyParts): () => SealingKeys {
  const owner = (globalThis as { readonly SubtleCrypto?: { readonly prototype: object } }).SubtleCrypto?.prototype;
  const { importKey, exportKey } = { ...Object.getOwnPropertyDescriptors(owner ?? {}) } as Readonly<
    Record<string, { readonly value?: Act } | undefined>
  >;
  const secrets: string[] = [];
  const recipients: string[] = [];
  const [CURVE, DER] = ['X25519', [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32]]; // RFC 8410, section 7
  const isCurve = (algorithm: unknown): boolean =>
    String((algorithm as { readonly name?: unknown } | undefined)?.name ?? algorithm).toUpperCase() === CURVE;
  const bytesOf = (data: unknown): Uint8Array => {
    const view = data as ArrayBufferView;
    return ArrayBuffer.isView(data) ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : new Uint8Array(data as ArrayBuffer);
  };
  const base64 = (text: string): string => {
    const { atob } = globalThis as unknown as { readonly atob: (text: string) => string };
    return hex(Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (sign) => sign.charCodeAt(0)));
  };

  hook(owner, 'importKey', (original, self, args) => {
    const [form, data, algorithm] = args;
    try {
      const { d, x } = (data ?? {}) as { readonly d?: string; readonly x?: string };
      if (!isCurve(algorithm)) return Reflect.apply(original, self, args);
      if (form === 'jwk') (d === undefined ? recipients : secrets).push(base64(d ?? x ?? ''));
      else (form === 'pkcs8' ? secrets : recipients).push(hex(bytesOf(data).slice(-32)));
    } catch {
      // A key that can't be read is refused by the original.
    }
    return Reflect.apply(original, self, args);
  });
  hook(owner, 'generateKey', (original, self, args) => {
    const [algorithm, extractable, usages] = args as [unknown, boolean, readonly string[]];
    if (!isCurve(algorithm) || !importKey?.value || !exportKey?.value) return Reflect.apply(original, self, args);
    const subtle = {
      importKey: (...each) => Reflect.apply(importKey.value as Act, self, each),
      exportKey: (...each) => Reflect.apply(exportKey.value as Act, self, each),
    } as Subtle;
    const secret = new Uint8Array(Uint32Array.from({ length: 8 }, word).buffer);
    const bytes = Uint8Array.from([...DER, ...secret]);
    secrets.push(hex(secret));
    return (async () => {
      await Reflect.apply(original, self, args); // it throws what it always throws
      const { x } = await subtle.exportKey('jwk', await subtle.importKey('pkcs8', bytes, CURVE, true, usages));
      return {
        privateKey: await subtle.importKey('pkcs8', bytes, CURVE, extractable, usages),
        publicKey: await subtle.importKey('jwk', { kty: 'OKP', crv: CURVE, x }, CURVE, true, []),
      };
    })();
  });
  return () => ({ secrets, recipients: [...new Set(recipients)] });
}
