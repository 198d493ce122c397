/**
 * @module A plugin for Vite, Rollup, webpack and esbuild: the schema is checked and its laws are derived when the app is built. A build fails on
 * a schema that `defineSchema` refuses, and bundles contain the schema's document in place of the code that derives it. What a device sends,
 * stores and reports is the same, byte for byte. It needs the packages unplugin, esbuild and acorn.
 */

import { extname } from 'node:path';
import { canonicalSchema } from '@murmuration/shared';
import { createUnplugin, type UnpluginInstance } from 'unplugin';
import { type Evaluated, evaluate } from './evaluate.ts';
import { type Found, findSchemas, findStarts, programOf, type Start } from './find.ts';
import { createServing } from './serve.ts';
import { importOf, writeSchema, writeStart } from './write.ts';

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

/** A module in which each known schema is written out, and each start names what it needs. No line moves. */
function written(code: string, known: Known, starts: readonly Start[]): string {
  const parts = new Set<string>();
  const edits: (readonly [start: number, end: number, text: string])[] = [];
  for (const [{ start, end }, schema] of known) {
    const lines = code.slice(start, end).split('\n').length - 1;
    if (schema !== undefined) edits.push([start, end, writeSchema(schema, parts) + '\n'.repeat(lines)]);
  }
  for (const { start, end, argumentEnd, options } of starts) {
    const [callee, argument] = writeStart(options, parts);
    edits.push([start, end, callee], [argumentEnd, argumentEnd, argument]);
  }
  const text = edits
    .sort(([one], [other]) => other - one)
    .reduce((made, [start, end, edit]) => made.slice(0, start) + edit + made.slice(end), code);
  return `${text}\n${importOf(parts)}`;
}

const plugin: Plugin = createUnplugin(() => {
  const serving = createServing();
  return {
    name: 'murmuration',
    vite: serving.hooks,
    transform: {
      filter: { id: { exclude: /\/node_modules\// }, code: /defineSchema|createTelemetry/ },
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
        let starts: readonly Start[];
        try {
          const program = programOf(code);
          found = findSchemas(code, program);
          starts = serving.isServing() ? [] : findStarts(program);
        } catch {
          return source.includes('defineSchema') ? (unknown() as undefined) : undefined; // JSX
        }
        const known: Known = new Map(
          await Promise.all(
            found.map(async (each) => [each, each.module === undefined ? undefined : await evaluate(each.module, file)] as const),
          ),
        );
        const schemas = [...known.values()].filter((schema) => schema !== undefined);
        serving.schemas.set(
          file,
          schemas.map(({ document }) => document),
        );
        if (schemas.length < found.length) unknown();
        if (schemas.length + starts.length === 0) return undefined;
        for (const { document } of serving.isServing() ? [] : schemas)
          this.emitFile({ type: 'asset', fileName: `${document.app}-${document.version}.schema.json`, source: canonicalSchema(document) });
        return { code: written(code, known, starts), map };
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
