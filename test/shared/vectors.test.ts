/** The vectors of test/vectors, made by an independent script from docs/format.md, hold for the shipped code. */

import {
  bloomBit,
  canonicalJson,
  canonicalSchema,
  checksum64,
  exp,
  fingerprint,
  flag,
  hashString,
  type Json,
  kAryLaw,
  type Law,
  listLaw,
  lnUp,
  MAX_STRING_BYTES,
  mechanismOf,
  parseDay,
  permanent,
  permanentKAryLaw,
  permanentListLaw,
  publicParts,
  type RapporParameters,
  rapporFromParameters,
  rapporLaw,
  ratio,
  type SchemaDocument,
  subsetLaw,
  symmetricUnaryLaw,
  unaryLaw,
  utf8,
  wireName,
} from '@murmuration/shared';
import murmur from 'murmurhash3js-revisited';
import { describe, expect, test } from 'vitest';
import { Refusal } from '#collector/base/refusal.ts';
import { parseBatch, unpackReports } from '#collector/ingest/parse-batch.ts';
import { publish } from '#collector/schemas/catalog.ts';
import { type LawCase, readVectors, testLaws, testRefused } from './law-vectors.ts';

interface Case extends RapporParameters, LawCase {
  readonly size: number;
  readonly subset: number;
  readonly epsilon: number;
  readonly permanent: number;
  readonly devices: number;
  readonly symmetric?: boolean;
}

const {
  refused,
  exp: exponentials,
  lnUp: logarithms,
  ...laws
} = readVectors<
  { readonly [group: string]: readonly Case[] } & {
    readonly refused: readonly (Case & { readonly mechanism: string })[];
    readonly exp: readonly (readonly [x: number, bits: string])[];
    readonly lnUp: readonly (readonly [numerator: string, denominator: string, decimal: string])[];
  }
>('laws');

const unary = ({ size, epsilon, permanent, symmetric }: Case): Law => (symmetric ? symmetricUnaryLaw : unaryLaw)(size, epsilon, permanent);
const subset = ({ size, subset, epsilon }: Case): Law => subsetLaw(size, subset, epsilon);

const derive: { readonly [group: string]: (of: Case) => Law } = {
  kAry: ({ size, epsilon }) => kAryLaw(size, epsilon),
  kAryPermanent: ({ size, epsilon, permanent }) => permanentKAryLaw(size, epsilon, permanent),
  subset,
  unary,
  list: ({ size, epsilon }) => listLaw(size, epsilon),
  listPermanent: ({ size, epsilon, permanent }) => permanentListLaw(size, epsilon, permanent),
  rappor: ({ epsilon, devices }) => rapporLaw(epsilon, devices),
  rapporPermanent: ({ epsilon, permanent, devices }) => rapporLaw(epsilon, devices, permanent),
  rapporExpert: rapporFromParameters,
};

/** Refused ones name the mechanism, and ε∞ if they have one. */
const attempts: { readonly [mechanism: string]: (of: Case) => Law } = {
  'k-ary': ({ size, epsilon, permanent }) => (permanent ? permanentKAryLaw(size, epsilon, permanent) : kAryLaw(size, epsilon)),
  subset,
  unary,
  rappor: ({ epsilon, devices, permanent }) => rapporLaw(epsilon, devices, permanent),
};

describe('laws', () => {
  testLaws(laws, derive);
  testRefused(refused, (of) => attempts[of.mechanism]?.(of));

  test('the exponential has the same bits, and ε as a decimal is the same rounded-up one', () => {
    const view = new DataView(new ArrayBuffer(8));
    for (const [x, bits] of exponentials) {
      view.setFloat64(0, exp(x));
      expect(view.getBigUint64(0).toString(16).padStart(16, '0')).toBe(bits);
    }
    for (const [numerator, denominator, decimal] of logarithms) {
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
  const { cases } = readVectors<{ readonly cases: readonly HashCase[] }>('hashing');

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
    for (const { value, canonical, fnv1a64, sha256 } of readVectors<
      readonly { value: Json; canonical: string; fnv1a64: string; sha256: string }[]
    >('canonical')) {
      expect(canonicalJson(value)).toBe(canonical);
      expect(checksum64(canonical)).toBe(fnv1a64);
      expect(await fingerprint(canonical)).toBe(sha256);
    }
  });

  const schemas =
    readVectors<
      readonly {
        readonly document: SchemaDocument;
        readonly canonical: string;
        readonly wire: string;
        readonly fingerprint: string;
        readonly publicParts: { readonly [metric: string]: number };
      }[]
    >('schemas');

  test('schemas have the independent canonical text and name on the wire', async () => {
    for (const { document, canonical, wire, fingerprint: sha256 } of schemas) {
      expect(canonicalSchema(document)).toBe(canonical);
      expect(wireName(document)).toBe(wire);
      expect(await fingerprint(canonical)).toBe(sha256);
    }
  });

  test('a metric that is published has the name on the wire that it had before, and its schema another fingerprint', () => {
    const [before, published] = schemas.filter(({ document }) => document.app === 'lantern');
    expect(published?.document.about['lit']).toEqual({ ...before?.document.about['lit'], publish: true });
    expect(published?.wire).toBe(before?.wire);
    expect(published?.fingerprint).not.toBe(before?.fingerprint);
  });

  test('permanent laws have the independent public parts, by which a schema decides whether reports are sent alone', () => {
    const kept = permanent(flag({ epsilon: 1, description: 'a question' }), { epsilon: 2, renew: 'year' });
    for (const { document, publicParts: expected } of schemas) {
      const laws = Object.entries(document.metrics).flatMap(([name, { permanent: permanence, law }]) =>
        permanence ? [{ name, law }] : [],
      );
      expect(Object.fromEntries(laws.map(({ name, law }) => [name, publicParts(mechanismOf(law).shape(law))]))).toEqual(expected);
      for (const { name, law } of laws) expect(kept.traces?.(law)).toBe((expected[name] as number) > 1);
      const isAlone = document.assign !== undefined || Object.values(expected).some((parts) => parts > 1);
      if (document.app !== 'feeder' || document.version !== 5) expect(document.reports).toBe(isAlone ? 'alone' : 'together');
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
  const { today, document, accepted, refused } = readVectors<Batches>('batch-v1');
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
    expect((refusal as Refusal).status).toBe(status);
  });
});
