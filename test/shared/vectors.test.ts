/** The vectors of test/vectors, made by an independent script from docs/format.md, hold for the shipped code. */

import { readFileSync } from 'node:fs';
import {
  bloomBit,
  canonicalJson,
  canonicalSchema,
  checksum64,
  exp,
  fingerprint,
  hashString,
  type Json,
  kAryLaw,
  type Law,
  listLaw,
  lnUp,
  MAX_STRING_BYTES,
  mechanismOf,
  parseBatch,
  parseDay,
  permanentKAryLaw,
  permanentListLaw,
  publish,
  type RapporParameters,
  REFUSALS,
  Refusal,
  rapporFromParameters,
  rapporLaw,
  ratio,
  type SchemaDocument,
  subsetLaw,
  symmetricUnaryLaw,
  unaryLaw,
  unpackReports,
  utf8,
  wireName,
} from '@murmuration/shared';
import murmur from 'murmurhash3js-revisited';
import { describe, expect, test } from 'vitest';

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as T;

interface LawCase extends RapporParameters {
  readonly size: number;
  readonly subset: number;
  readonly epsilon: number;
  readonly permanent: number;
  readonly devices: number;
  readonly symmetric?: boolean;
  readonly law: Law;
  readonly odds?: readonly [string, string];
  readonly permanentOdds?: readonly [string, string];
}

const laws = read<{ readonly [group: string]: readonly LawCase[] }>('laws');

const derive: { readonly [group: string]: (of: LawCase) => Law } = {
  kAry: ({ size, epsilon }) => kAryLaw(size, epsilon),
  kAryPermanent: ({ size, epsilon, permanent }) => permanentKAryLaw(size, epsilon, permanent),
  subset: ({ size, subset, epsilon }) => subsetLaw(size, subset, epsilon),
  unary: ({ size, epsilon, permanent, symmetric }) => (symmetric ? symmetricUnaryLaw : unaryLaw)(size, epsilon, permanent),
  list: ({ size, epsilon }) => listLaw(size, epsilon),
  listPermanent: ({ size, epsilon, permanent }) => permanentListLaw(size, epsilon, permanent),
  rappor: ({ epsilon, devices }) => rapporLaw(epsilon, devices),
  rapporPermanent: ({ epsilon, permanent, devices }) => rapporLaw(epsilon, devices, permanent),
  rapporExpert: rapporFromParameters,
};

describe('laws', () => {
  test.each(Object.keys(derive))('%s: every integer and every exact e^ε is the independent one', (group) => {
    const cases = laws[group] ?? [];
    expect(cases.length).toBeGreaterThan(50);
    for (const each of cases) {
      const law = derive[group]?.(each) as Law;
      expect(law).toEqual(each.law);
      if (each.odds === undefined) continue;
      const { report, permanent } = mechanismOf(law).odds(law);
      expect([report.numerator, report.denominator].map(String)).toEqual(each.odds);
      if (permanent !== undefined) expect([permanent.numerator, permanent.denominator].map(String)).toEqual(each.permanentOdds);
    }
  });

  test('what 32 bits cannot hold is refused', () => {
    const refused = laws['refused'] as unknown as readonly (LawCase & { readonly mechanism: string })[];
    expect(refused.length).toBeGreaterThan(10);
    for (const { mechanism, size, subset, epsilon, permanent, devices, symmetric } of refused) {
      const attempt = (): Law => {
        if (mechanism === 'subset') return subsetLaw(size, subset, epsilon);
        if (mechanism === 'unary') return (symmetric ? symmetricUnaryLaw : unaryLaw)(size, epsilon, permanent);
        if (mechanism === 'rappor') return rapporLaw(epsilon, devices, permanent);
        return permanent ? permanentKAryLaw(size, epsilon, permanent) : kAryLaw(size, epsilon);
      };
      expect(attempt, JSON.stringify({ mechanism, size, epsilon, permanent })).toThrow(RangeError);
    }
  });

  test('the exponential has the same bits, and ε as a decimal is the same rounded-up one', () => {
    const view = new DataView(new ArrayBuffer(8));
    for (const [x, bits] of (laws as unknown as { readonly exp: readonly [number, string][] }).exp) {
      view.setFloat64(0, exp(x));
      expect(view.getBigUint64(0).toString(16).padStart(16, '0')).toBe(bits);
    }
    for (const [numerator, denominator, decimal] of (laws as unknown as { readonly lnUp: readonly [string, string, string][] }).lnUp) {
      expect(lnUp(ratio(BigInt(numerator), BigInt(denominator)), 6)).toBe(decimal);
    }
  });
});

describe('hashing', () => {
  interface HashCase {
    readonly string: string;
    readonly utf8: string;
    readonly murmur3_x64_128: string;
    readonly bloom: readonly {
      readonly cohort: number;
      readonly bits: number;
      readonly hashes: number;
      readonly indices: readonly number[];
    }[];
  }
  const { cases } = read<{ readonly cases: readonly HashCase[] }>('hashing');

  test('UTF-8, MurmurHash3 and every Bloom bit are the independent ones', () => {
    expect(cases.length).toBeGreaterThan(39);
    for (const { string, utf8: hex, murmur3_x64_128, bloom } of cases) {
      const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
      expect(murmur.x64.hash128(bytes, 0)).toBe(murmur3_x64_128);
      if (string.length <= MAX_STRING_BYTES && bytes.length <= MAX_STRING_BYTES && !hex.startsWith('006c6f6e67'))
        expect(utf8(string)).toEqual(bytes);
      const hash = hashString(string);
      for (const { cohort, bits, hashes, indices } of bloom) {
        expect(Array.from({ length: hashes }, (_, i) => bloomBit(hash, cohort, i, bits))).toEqual(indices);
      }
    }
  });
});

describe('canonical JSON', () => {
  test('texts, checksums and fingerprints are the independent ones', async () => {
    for (const { value, canonical, fnv1a64, sha256 } of read<
      readonly { value: Json; canonical: string; fnv1a64: string; sha256: string }[]
    >('canonical')) {
      expect(canonicalJson(value)).toBe(canonical);
      expect(checksum64(canonical)).toBe(fnv1a64);
      expect(await fingerprint(canonical)).toBe(sha256);
    }
  });

  test('schemas have the independent canonical text and name on the wire', async () => {
    for (const { document, canonical, wire, fingerprint: sha256 } of read<
      readonly { document: SchemaDocument; canonical: string; wire: string; fingerprint: string }[]
    >('schemas')) {
      expect(canonicalSchema(document)).toBe(canonical);
      expect(wireName(document)).toBe(wire);
      expect(await fingerprint(canonical)).toBe(sha256);
    }
  });
});

describe('batch, version 1', () => {
  interface Batches {
    readonly today: string;
    readonly document: SchemaDocument;
    readonly accepted: readonly {
      readonly note: string;
      readonly body: string;
      readonly reports: readonly { metric: string; cohort: number; cells: number[] }[];
    }[];
    readonly refused: readonly { readonly note: string; readonly body: string; readonly status: number; readonly error: string }[];
  }
  const { today, document, accepted, refused } = read<Batches>('batch-v1');
  const published = publish(document);
  const schemas = new Map([[wireName(document), published]]);
  const day = parseDay(today) as number;

  test.each(accepted)('accepted for ever: $note', ({ body, reports }) => {
    const parsed = parseBatch(body, schemas, day);
    expect(unpackReports(published, parsed.reports).map(({ metric, report }) => ({ metric, ...report }))).toEqual(reports);
  });

  test.each(refused.filter(({ status }) => status !== 413))('refused: $note ($error)', ({ body, status, error }) => {
    let refusal: unknown;
    try {
      parseBatch(body, schemas, day);
    } catch (thrown) {
      refusal = thrown;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect((refusal as Refusal).code).toBe(error);
    expect(REFUSALS[(refusal as Refusal).code]).toBe(status);
  });
});
