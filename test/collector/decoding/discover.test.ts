/** Strings that nobody has listed: what devices send of them, and what a collector finds, through HTTP, a store and the command. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineSchema, discover } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { createCollector } from '@murmuration/collector';
import { createReader, type DecodeProgress } from '@murmuration/collector/reader';
import { canonicalSchema, type PrefixHashingLaw, placeOfText, prefixHashingLaw } from '@murmuration/shared';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { randomizePrefixHashing } from '#client/randomizers/prefix-hashing.ts';
import { compare } from '#collector/answers/compare.ts';
import type { EstimateRequest } from '#collector/answers/estimates.ts';
import { type Terminal, terminalLine } from '#collector/cli/table.ts';
import { discover as discoverIn } from '#collector/decoding/discovery/discover.ts';
import { logWeightsOf } from '#collector/decoding/discovery/symbols.ts';
import { placed, sharesOf } from '#collector/estimation/prefixes.ts';
import { logUpperTail } from '#collector/estimation/statistics/tails.ts';
import { createCatalog, type PublishedMetric } from '#collector/schemas/catalog.ts';
import { device, FIRST_DAY, results } from '../../client/device.ts';
import { type Fleet, fleetOf, talliesOf } from '../../kit/string-fleet.ts';
import { atMost, binomial, multinomial, upperTail } from '../../proofs/statistics.ts';
import { anyString } from '../../setup/any-string.ts';
import { runCommand } from '../../setup/command.ts';
import { EFFORT } from '../../setup/effort.ts';

const folder = mkdtempSync(join(tmpdir(), 'murmuration-'));
afterAll(() => rmSync(folder, { recursive: true }));

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 6, per: 'month' },
  metrics: { drink: discover({ epsilon: 5, longest: 8, description: 'Which drink?' }) },
});
const law = schema.document.metrics['drink']?.law as PrefixHashingLaw;

/** What people say, with the share that says it: also nothing, other alphabets, and more than is sent. */
const DRINKS: readonly (readonly [text: string, share: number])[] = [
  ['tea', 0.4],
  ['Käse', 0.2],
  ['茶', 0.1],
  ['', 0.15],
  ['hot chocolate', 0.15],
];

describe('a device', () => {
  const odd = ['', 'tea', 'x'.repeat(100_000), '\ud800', '👩‍👩‍👧', '\u0000', 'ﬃ'];

  test('reports every string, with one report of the same size and as many coins', async () => {
    const drawn = odd.map((value) => {
      let count = 0;
      const word = words(seededRng(9));
      const counting = (): number => {
        count++;
        return word();
      };
      randomizePrefixHashing(law, value, createCoins(counting));
      return count;
    });
    expect(new Set(drawn).size).toBe(1);
    for (const value of odd) {
      const one = device(schema, { seed: 4 });
      one.telemetry.record('drink', value);
      await one.telemetry.flush();
      expect(results(one.outcomes)).toEqual(['recorded', 'delivered']);
      expect(one.uploads.map(({ body }) => String(body).length)).toEqual([one.uploads[0]?.body.length]);
    }
  });

  test('records nothing but strings', () => {
    const one = device(schema);
    for (const value of [3, null, undefined, ['tea'], {}]) one.telemetry.record('drink', value as never);
    expect(new Set(results(one.outcomes))).toEqual(new Set(['wrong-type']));
  });
});

describe('the places of strings', () => {
  test('are those that the collector looks at', () => {
    const text = fc.oneof(anyString(20), fc.string({ maxLength: 10 }));
    fc.assert(
      fc.property(text, (string) => {
        const bytes = new TextEncoder().encode(string).slice(0, law.longest);
        expect([...placed(law, bytes).places]).toEqual(Array.from({ length: law.longest }, (_, level) => placeOfText(law, level, string)));
      }),
      { numRuns: 200 * EFFORT, seed: 3 },
    );
  });

  test('do not depend on what comes after the most bytes', () => {
    for (let level = 0; level < law.longest; level++) {
      expect(placeOfText(law, level, '12345678')).toBe(placeOfText(law, level, '123456789 and more'));
      expect(placeOfText(law, level, '1234567👩')).toBe(placeOfText(law, level, '1234567👩👧'));
    }
  });

  test('of whole strings are evenly spread at a level, and independent of those at another', () => {
    const small = prefixHashingLaw(8, 2, 8, 49);
    const strings = 20_000;
    const even = Array<number>(49).fill(1 / 49);
    const [one, other, apart] = [even.map(() => 0), even.map(() => 0), even.map(() => 0)];
    const add = (counts: number[], place: number): void => {
      counts[place] = (counts[place] as number) + 1;
    };
    for (let i = 0; i < strings; i++) {
      const [a, b] = [placeOfText(small, 6, `${i}`), placeOfText(small, 7, `${i}`)];
      add(one, a);
      add(other, b);
      add(apart, (a + 49 - b) % 49);
    }
    for (const counts of [one, other, apart]) expect(upperTail(multinomial(counts, even, strings))).toBeGreaterThan(1e-6);
  });
});

test('a line of a terminal is written over, and cleared; without a terminal, nothing is written', () => {
  let written = '';
  const terminalOf = (isTTY: boolean): Terminal => ({
    isTTY,
    write: (text: string | Uint8Array) => {
      written += text;
      return true;
    },
  });
  expect(terminalLine(terminalOf(false))).toBeUndefined();
  const line = terminalLine(terminalOf(true));
  line?.write('one');
  line?.write('two');
  line?.clear();
  expect(written).toBe('\r\u001b[Kone\r\u001b[Ktwo\r\u001b[K');
});

describe('weights of strings', () => {
  test('sum to at most 1 over all strings', () => {
    const alphabet = Array.from({ length: 256 }, (_, byte) => byte);
    const weightOf = (bytes: readonly number[], longest: number): number =>
      Math.exp(logWeightsOf(Uint8Array.from(bytes), longest).reduce((sum, weight) => sum + weight, 0));
    const ofTwo = alphabet.flatMap((a) => alphabet.map((b) => weightOf([a, b], 2)));
    const total = [weightOf([], 2), ...alphabet.map((a) => weightOf([a], 2)), ...ofTwo].reduce((sum, weight) => sum + weight, 0);
    expect(total).toBeLessThanOrEqual(1 + 1e-12);
    expect(total).toBeGreaterThan(0.95);
  });
});

test('the logarithm of a tail is that of the tail, near and far', () => {
  expect(logUpperTail(0)).toBeCloseTo(Math.log(0.5), 12);
  expect(logUpperTail(-3)).toBeCloseTo(Math.log(1 - 0.0013498980316301), 10);
  expect(logUpperTail(4.999999)).toBeCloseTo(logUpperTail(5.000001), 4);
  expect(logUpperTail(6)).toBeCloseTo(Math.log(9.865876450377e-10), 9);
  expect(logUpperTail(100)).toBeCloseTo(-5005.524208694205, 6);
});

describe('a collector', () => {
  test('finds the strings of devices that report over HTTP, and the command finds the same', async () => {
    const data = join(folder, 'data');
    const people = 1_000;
    const collector = await createCollector({ open: true, schemas: [schema.document], data, now: () => FIRST_DAY * 86_400_000 });
    const address = await collector.listen(0, '127.0.0.1');
    const texts = DRINKS.map(([text]) => text);
    const fleet = fleetOf(
      texts,
      DRINKS.map(([, share]) => share),
      people,
      words(seededRng(12)),
    );
    const own = fleet.flatMap(([text, devices]) => Array<string>(devices).fill(text));
    const report = async (text: string, seed: number): Promise<void> => {
      const one = device(schema, {
        seed: 40_000 + seed,
        transport: async ({ body }) => ({
          status: (await fetch(`${address}/v1/reports`, { method: 'POST', body: body as string })).status,
        }),
      });
      one.telemetry.record('drink', text);
      await one.telemetry.flush();
    };
    // Many at a time, since each waits for a commit.
    for (let from = 0; from < people; from += 50) await Promise.all(own.slice(from, from + 50).map((text, i) => report(text, from + i)));
    const reader = createReader(schema, { url: address });
    const steps: DecodeProgress[] = [];
    const found = await reader.decode('drink', { onProgress: (how) => steps.push(how) });
    const estimated = await reader.estimates('drink', { candidates: ['tea', 'nobody'] });
    const series = await reader.series('drink', { interval: 'day', top: 2 });
    await collector.close();

    // Reading, then each length of each search, unless the reader was slow.
    expect(new Set(steps.map(({ stage }) => stage))).toContain('searching');
    const searching = steps.filter((step) => step.stage === 'searching');
    expect(searching[0]).toEqual({ stage: 'searching', search: 1, found: 0, length: 1, longest: 8, kept: expect.any(Number) });
    expect(searching.at(-1)).toMatchObject({ found: 5, length: 8 });
    expect(estimated.answers.map(({ label }) => label)).toEqual(['tea', 'nobody']);
    expect(series.points[0]?.answers.map(({ label }) => label)).toEqual(['tea', 'Käse']);

    expect(found).toMatchObject({ type: 'discover', mechanism: 'prefix-hashing', reports: people, outcome: 'decoded', found: 5 });
    const expected = texts.map((text) => (text === 'hot chocolate' ? 'hot choc' : text));
    expect(found.strings.map(({ label }) => label).sort()).toEqual([...expected].sort());
    expect(found.strings.filter(({ isCut }) => isCut).map(({ label }) => label)).toEqual(['hot choc']);
    let statistic = 0;
    for (const { label, estimate, standardError, qValue } of found.strings) {
      const [, share = Number.NaN] = DRINKS[expected.indexOf(label)] ?? [];
      statistic += ((estimate - share) / standardError) ** 2;
      expect(qValue).toBeLessThan(0.05);
    }
    expect(upperTail({ statistic, degrees: DRINKS.length })).toBeGreaterThan(1e-6);
    const explained = found.strings.reduce((sum, { estimate }) => sum + estimate, 0);
    expect(found.unexplained?.estimate).toBeCloseTo(Math.max(0, 1 - explained), 9);

    const file = join(folder, 'schema.json');
    writeFileSync(file, canonicalSchema(schema.document));
    const { status, stdout, stderr } = runCommand('discover', '--schema', file, '--metric', 'drink', '--data', data, '--json');
    expect([status, stderr]).toEqual([0, '']);
    const printed = JSON.parse(stdout) as { strings: { text: string; estimate: number }[] };
    expect(printed).toMatchObject({ app: 'notes', metric: 'drink', epsilon: 5, reports: people, fdr: 0.05 });
    expect(printed.strings.map(({ text, estimate }) => [text, estimate])).toEqual(
      found.strings.map(({ label, estimate }) => [label, estimate]),
    );
    const listed = runCommand('discover', '--schema', file, '--metric', 'drink', '--data', data);
    expect(listed.stdout).toContain('"hot choc" ...');
    expect(listed.stdout).toContain(`5 strings from ${people} reports`);
    for (const [args, message] of [
      [['--metric', 'drinks'], 'expected metrics of the schemas (notes drink), got drinks'],
      [['--metric', 'drink', '--fdr', '2'], '--fdr: expected a percentage'],
    ] as const) {
      const bad = runCommand('discover', '--schema', file, '--data', data, ...args);
      expect([bad.status, bad.stdout]).toEqual([2, '']);
      expect(bad.stderr).toContain(message);
    }
    const nowhere = runCommand('discover', '--schema', file, '--metric', 'drink', '--data', join(folder, 'nowhere'));
    expect([nowhere.status, nowhere.stdout]).toEqual([2, '']);
  });

  test('compares strings that only one side has', () => {
    const three = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 6, per: 'month' },
      metrics: { word: discover({ epsilon: 5, longest: 3, description: 'Which word?' }) },
    });
    const [metric] = createCatalog([three.document]).metrics as [PublishedMetric];
    const sideOf = (fleet: Fleet): EstimateRequest => {
      const tallies = talliesOf(metric.document.law as PrefixHashingLaw, fleet, words(seededRng(8)));
      return {
        metric,
        evidence: { tallies, reports: 2_000, from: 1, to: 1, ones: [] },
        minimum: 1,
        candidates: [],
        verdicts: { looks: 'always', planned: 2_000 },
      };
    };
    const [before, after] = [
      sideOf([
        ['tea', 1_600],
        ['cup', 400],
      ]),
      sideOf([
        ['tea', 1_000],
        ['jam', 1_000],
      ]),
    ];
    const { differences } = compare(before, after, 'group');
    expect(differences.filter(({ isClear }) => isClear).map(({ label }) => label)).toEqual(['jam', 'tea', 'cup']);
  });

  test('finds nothing where there are no reports', () => {
    expect(discoverIn(law, new Map())).toMatchObject({ reports: 0, strings: [], others: [], detectable: 1 });
    expect(sharesOf(law, new Map(), ['tea'])).toEqual([]);
  });
});

describe('a discovery', () => {
  const longest = prefixHashingLaw(10, 4);
  const texts = Array.from({ length: 3_000 }, (_, i) => `word ${i.toString(36)}`);
  const weights = texts.map((_, i) => 1 / (i + 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = weights.map((weight) => weight / total);
  const rounds = Array.from({ length: 2 * EFFORT }, (_, seed) => {
    const word = words(seededRng(500 + seed));
    const fleet = fleetOf(texts, shares, 60_000, word);
    const tallies = talliesOf(longest, fleet, word);
    return { fleet: new Map(fleet), tallies, found: discoverIn(longest, tallies, { width: 2_000, candidates: ['word 1', 'nobody'] }) };
  });
  const pairs = rounds.flatMap(({ fleet, found }) =>
    found.strings.map((string) => ({ ...string, truth: (fleet.get(string.text) ?? 0) / 60_000 })),
  );

  /** Seeded, so the verdicts are the same on every run. Other seeds would fail below p = 10⁻⁶ if the law is right. */
  test('finds strings with a common prefix, and few that nobody has', () => {
    for (const { found } of rounds) expect(found.strings.length).toBeGreaterThan(5);
    const nobodys = pairs.filter(({ truth }) => truth === 0).length;
    expect(1 - atMost(nobodys - 1, pairs.length, 0.05)).toBeGreaterThan(1e-6);
  });

  test('has standard errors that are true, and intervals that cover', () => {
    const real = pairs.filter(({ truth }) => truth > 0);
    const statistic = real.reduce((sum, { estimate, standardError, truth }) => sum + ((estimate - truth) / standardError) ** 2, 0);
    expect(upperTail({ statistic, degrees: real.length })).toBeGreaterThan(1e-6);
    const covered = pairs.filter(({ low, high, truth }) => low <= truth && truth <= high).length;
    expect(upperTail(binomial(covered, 0.95, pairs.length))).toBeGreaterThan(1e-6);
  });

  test('estimates candidates besides, found or not', () => {
    for (const { fleet, found } of rounds) {
      const rows = [...found.strings, ...found.others];
      expect(found.others.map(({ text }) => text)).toContain('nobody');
      for (const [text, share] of [['word 1', (fleet.get('word 1') ?? 0) / 60_000] as const, ['nobody', 0] as const]) {
        const { estimate = Number.NaN, standardError = 0 } = rows.find((row) => row.text === text) ?? {};
        expect(upperTail({ statistic: ((estimate - share) / standardError) ** 2, degrees: 1 })).toBeGreaterThan(1e-6);
      }
    }
  });

  test('says how much the found strings leave over', () => {
    const statistic = rounds.reduce((sum, { fleet, found: { strings, unexplained } }) => {
      const truth = 1 - strings.reduce((explained, { text }) => explained + (fleet.get(text) ?? 0) / 60_000, 0);
      return sum + ((unexplained.estimate - truth) / unexplained.standardError) ** 2;
    }, 0);
    expect(upperTail({ statistic, degrees: rounds.length })).toBeGreaterThan(1e-6);
  });

  test('is the same for the same tallies', () => {
    const [{ tallies, found }] = rounds as [(typeof rounds)[0]];
    expect(discoverIn(longest, tallies, { width: 2_000, candidates: ['word 1', 'nobody'] })).toEqual(found);
  });
});
