/**
 * @module A plugin for Vite, Rollup, webpack and esbuild: the schema is checked and its laws are derived when the app is built. A build fails on
 * a schema that `defineSchema` refuses, and bundles contain the schema's document in place of the code that derives it. What a device sends,
 * stores and reports is the same, byte for byte. It needs the packages unplugin, esbuild and acorn.
 */

import { extname } from 'node:path';
import { canonicalSchema } from '@murmuration/shared';
import { createUnplugin, type UnpluginInstance } from 'unplugin';
import { type Evaluated, evaluate } from './evaluate.ts';
import { type Found, findSchemas } from './find.ts';
import { importOf, writeSchema } from './write.ts';

type Plugin = UnpluginInstance<undefined, false>;

type Loader = 'js' | 'jsx' | 'ts' | 'tsx';

const LOADERS: { readonly [extension: string]: Loader } = {
  '.cts': 'ts',
  '.js': 'js',
  '.jsx': 'jsx',
  '.mjs': 'js',
  '.mts': 'ts',
  '.ts': 'ts',
  '.tsx': 'tsx',
};

/** A module's JavaScript, and how its lines map to the source's; null if they are the same. */
interface Code {
  readonly code: string;
  readonly map: string | null;
}

/** A module without types. Bundlers differ in whether they are gone when a plugin sees a module. */
async function withoutTypes(code: string, file: string, loader: Loader): Promise<Code> {
  if (loader === 'js') return { code, map: null };
  const { transform } = await import('esbuild');
  return transform(code, { loader, sourcefile: file, sourcemap: 'external', jsx: 'preserve' });
}

/** Schemas of a module that are known at build time; undefined for those that are not. */
type Known = ReadonlyMap<Found, Evaluated | undefined>;

/** A module in which each known schema is written out. No line moves. */
function written(code: string, known: Known): string {
  let text = code;
  const parts: string[] = [];
  for (const [{ start, end }, schema] of [...known].reverse()) {
    if (schema === undefined) continue;
    const { expression, parts: more } = writeSchema(schema);
    parts.push(...more);
    const lines = code.slice(start, end).split('\n').length - 1;
    text = text.slice(0, start) + expression + '\n'.repeat(lines) + text.slice(end);
  }
  return `${text}\n${importOf(parts)}`;
}

const plugin: Plugin = createUnplugin(() => {
  let isServing = false; // a development server has no files to write beside a bundle
  return {
    name: 'murmuration',
    vite: {
      configResolved: ({ command }) => {
        isServing = command === 'serve';
      },
    },
    transform: {
      filter: { id: { exclude: /\/node_modules\// }, code: 'defineSchema' },
      async handler(source, id) {
        const file = id.replace(/\?.*$/, '');
        const loader = LOADERS[extname(file)];
        if (loader === undefined) return undefined;
        const unknown = (): void =>
          this.warn(
            `${file}: a schema is not known at build time, so its checks and its laws stay in the bundle. A module of its own helps.`,
          );
        const { code, map } = await withoutTypes(source, file, loader);
        let found: readonly Found[];
        try {
          found = findSchemas(code);
        } catch {
          return unknown() as undefined; // JSX
        }
        const known: Known = new Map(
          await Promise.all(
            found.map(async (each) => [each, each.module === undefined ? undefined : await evaluate(each.module, file)] as const),
          ),
        );
        const schemas = [...known.values()].filter((schema) => schema !== undefined);
        if (schemas.length < found.length) unknown();
        if (schemas.length === 0) return undefined;
        for (const { document } of isServing ? [] : schemas)
          this.emitFile({ type: 'asset', fileName: `${document.app}-${document.version}.schema.json`, source: canonicalSchema(document) });
        return { code: written(code, known), map };
      },
    },
  };
});

/** For `plugins` of vite.config. */
export const vite: Plugin['vite'] = plugin.vite;
/** For `plugins` of rollup.config. */
export const rollup: Plugin['rollup'] = plugin.rollup;
/** For `plugins` of webpack.config. */
export const webpack: Plugin['webpack'] = plugin.webpack;
/** For `plugins` of esbuild's `build`. */
export const esbuild: Plugin['esbuild'] = plugin.esbuild;
