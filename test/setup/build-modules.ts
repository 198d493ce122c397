/**
 * Builds the modules that a package publishes, twice: dist/development with the checks for developers, dist/production without. Each file
 * of src becomes a file of dist, so that a bundler drops what an app does not import. Browsers can run them as they are: they contain no
 * `process.env`, and a dependency that is not ESM is inlined into the only file that imports it.
 *
 * The package's `exports` select them by condition. Vite and webpack set `development` or `production`; Node runs the checks (`node`).
 * `default` is production. Tools that set no condition (plain Rollup, esbuild, an import map) mostly build what end users load. The checks
 * that are left out are those of the schema and of the options, on which no guarantee depends; Node runs the same checks in tests and in
 * `murmuration schema`. Developers who want them in such a build add the condition `development`.
 */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const MODES = ['development', 'production'] as const;

/** The library is one script that exports to `module.exports` if it exists. These lines turn it into a module. */
const BEFORE = 'var module = { exports: {} }, exports = module.exports;';
const AFTER = 'export default module.exports;';

/** Bundles murmurhash3js-revisited, which is CommonJS, as a module with its licence in a comment that bundlers and minifiers keep. */
export const murmurHash: Plugin = {
  name: 'murmur-hash',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: /^murmurhash3js-revisited$/ }, ({ path, kind, resolveDir }) =>
      resolve(`${path}/lib/murmurHash3js.js`, { kind, resolveDir }),
    );
    onLoad({ filter: /\/murmurhash3js-revisited\/lib\// }, async ({ path }) => {
      const [text, licence] = await Promise.all([readFile(path, 'utf8'), readFile(join(dirname(path), '..', 'LICENSE'), 'utf8')]);
      return { contents: `${BEFORE}\n/*! murmurhash3js-revisited\n${licence.trim()}\n*/\n${text}\n${AFTER}` };
    });
  },
};

/** Keeps imports that fit a pattern as they are, except those of other packages. */
const apart = (filter: RegExp): Plugin => ({
  name: 'apart',
  setup: ({ onResolve }) =>
    onResolve({ filter }, ({ path, kind, importer }) =>
      kind === 'entry-point' || importer.includes('/node_modules/')
        ? undefined
        : { path: path.replace(/\.ts$/, '.js'), external: true, sideEffects: false },
    ),
});

/** Between files of the package, and of other packages, of which Jest can't require those that are ES modules alone. */
const MODULES = /^\.{1,2}\/|^@(?:murmuration|noble)\/|^(?:acorn|esbuild|react|svelte|unplugin|vue)$|^node:/;
const FOR_JEST = /^\.{1,2}\/|^@murmuration\/|^(?:acorn|esbuild|react|svelte|unplugin|vue)$|^node:/;

/** How the modules of a package are built. */
const options = (root: string): BuildOptions & { readonly plugins: Plugin[] } => ({
  absWorkingDir: root,
  outbase: 'src',
  bundle: true,
  platform: 'neutral',
  target: 'es2022',
  tsconfigRaw: {}, // the package's own tsconfig would keep imports that only dropped code uses
  preserveSymlinks: true, // otherwise paths in comments reveal where the package was built
  legalComments: 'inline',
  plugins: [murmurHash, apart(MODULES)],
  logLevel: 'warning',
});

/** The source files of a package that are modules of their own. The scripts for pages without a build are bundles: build-client.ts. */
async function entriesOf(root: string): Promise<string[]> {
  const files = await readdir(join(root, 'src'), { recursive: true });
  return files
    .filter((file) => file.endsWith('.ts') && !file.startsWith('script/'))
    .sort()
    .map((file) => join('src', file));
}

/** Builds the modules of a package, shared or client. */
export async function buildModules(folder: URL): Promise<void> {
  const root = fileURLToPath(folder);
  const entryPoints = await entriesOf(root);
  await Promise.all(
    MODES.map((mode) =>
      build({
        ...options(root),
        entryPoints,
        outdir: join('dist', mode),
        format: 'esm',
        define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
        sourcemap: true,
        sourcesContent: false,
      }),
    ),
  );
}

/** Builds the modules of the client a third time, as CommonJS for Jest, and the contract as one of them (client/src/node/jest-preset.ts). */
export async function buildForJest(client: URL): Promise<void> {
  const root = fileURLToPath(client);
  const common = {
    ...options(root),
    format: 'cjs',
    platform: 'node',
    supported: { 'dynamic-import': false }, // Jest that runs CommonJS has none
    define: { 'process.env.NODE_ENV': '"development"' },
  } as const;
  const entryPoints = (await entriesOf(root)).filter((file) => !/\/jest-preset\.ts$|\/(?:command|plugin)\//.test(file));
  await Promise.all([
    build({ ...common, entryPoints, outdir: 'dist/jest', plugins: [murmurHash, apart(FOR_JEST)], preserveSymlinks: false }),
    build({ ...common, entryPoints: ['../shared/src/index.ts'], outfile: 'dist/jest/shared.js', plugins: [murmurHash] }),
  ]);
  await writeFile(join(root, 'dist/jest/package.json'), '{ "type": "commonjs" }\n');
}
