/** What the client adds to a page: the compressed size of two bundles, and what must not be in the smaller one. */

import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

/** The limits. */
const LISTS = 5_000;
const STRINGS = 8_000;

const program = (names: string, metric: string): string => `
  import { createTelemetry, defineSchema, flag, choice${names} } from '@murmuration/client';
  const schema = defineSchema({ app:'a', version:1, budget:{epsilon:2, per:'month'}, metrics:{
    a: flag({epsilon:1,description:'x'}), b: choice(['x','y'],{epsilon:1,description:'y'})${metric} } });
  const t = createTelemetry({ schema, endpoint:'/t' });
  t.consent.grant(); t.record('a', true); t.record('b','x');`;

interface Bundle {
  /** Compressed as servers do it: brotli, quality 11. */
  readonly bytes: number;
  readonly text: string;
  /** The files that left something in it. */
  readonly files: readonly string[];
}

async function bundle(contents: string, minify = true): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    minify,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
  });
  const text = outputFiles[0]?.text ?? '';
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return {
    bytes: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
    text,
    files: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
  };
}

describe('an app that asks a flag and a choice', async () => {
  const { bytes, text, files } = await bundle(program('', ''));

  test(`carries at most ${LISTS} bytes`, () => {
    expect(bytes).toBeLessThanOrEqual(LISTS);
  });

  test.each(['murmurhash', 'rappor.ts', 'hashing.ts', 'mechanisms/table.ts', 'ratio.ts', 'designs.ts', 'sketches.ts', 'field.ts'])(
    'carries nothing of %s',
    (name) => {
      expect(files).toContainEqual(expect.stringContaining('client/src/telemetry.ts'));
      expect(files.filter((file) => file.includes(name))).toEqual([]);
    },
  );

  test('carries no joint questions, no instantaneous stage, no decoding of base64', () => {
    expect(text).toContain('"choice"');
    for (const trace of ['"joint"', 'irr', 'canonical base64url']) expect(text).not.toContain(trace);
  });
});

test('what checks a schema is in a development bundle, and not in that for production', async () => {
  const [production, development] = await Promise.all([bundle(program('', '')), bundle(program('', ''), false)]);
  for (const file of ['checks.ts', 'rules.ts']) {
    expect(production.files.filter((name) => name.includes(file))).toEqual([]);
    expect(development.files).toContainEqual(expect.stringContaining(`shared/src/schema/${file}`));
  }
  expect(development.text).toContain('a finite number above 0');
});

test(`permanent strings bring it to at most ${STRINGS} bytes`, async () => {
  const metric = ", c: permanent(text({epsilon:1,description:'z'}),{epsilon:2,renew:'year'})";
  const { bytes, text, files } = await bundle(program(', permanent, text', metric));
  expect(bytes).toBeLessThanOrEqual(STRINGS);
  expect(files).toContainEqual(expect.stringContaining('murmurhash'));
  for (const trace of ['irr', 'canonical base64url']) expect(text).toContain(trace);
});
