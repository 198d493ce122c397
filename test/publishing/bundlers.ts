/** Builds an app with each bundler that the client's plugin is for. */

import { join } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build as esbuild } from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import webpack from 'webpack';

/** The packed plugin, as an app's configuration imports it. */
export type Plugin = typeof import('@murmuration/client/plugin');

/** Builds `main.js` of a folder into `out/main.js`, with the plugin or without. */
type Bundler = (folder: string, warn: (message: string) => void, plugin?: Plugin) => Promise<unknown>;

const OUT = 'out';

export const bundlers: { readonly [name in keyof Plugin]: Bundler } = {
  esbuild: async (folder, warn, plugin) => {
    const { warnings } = await esbuild({
      entryPoints: [join(folder, 'main.js')],
      outdir: join(folder, OUT),
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      legalComments: 'none',
      logLevel: 'silent',
      plugins: plugin ? [plugin.esbuild()] : [],
    });
    for (const { text } of warnings) warn(text);
  },
  rollup: async (folder, warn, plugin) => {
    const bundle = await rollup({
      input: join(folder, 'main.js'),
      plugins: [...(plugin ? [plugin.rollup()] : []), nodeResolve({ browser: true })],
      onwarn: ({ message }) => warn(message),
    });
    await bundle.write({ dir: join(folder, OUT), format: 'esm' });
  },
  vite: (folder, warn, plugin) =>
    vite({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      plugins: plugin ? [plugin.vite()] : [],
      build: {
        outDir: OUT,
        target: 'es2022',
        modulePreload: false,
        rolldownOptions: {
          input: join(folder, 'main.js'),
          preserveEntrySignatures: 'strict',
          output: { entryFileNames: 'main.js' },
          onwarn: ({ message = '' }) => warn(message),
        },
      },
    }),
  webpack: async (folder, warn, plugin) => {
    const stats = await new Promise<import('webpack').Stats | undefined>((resolve, reject) => {
      const made = (error: Error | null, found?: import('webpack').Stats): void => (error ? reject(error) : resolve(found));
      webpack(
        {
          context: folder,
          mode: 'production',
          entry: join(folder, 'main.js'),
          output: { path: join(folder, OUT), filename: 'main.js', module: true, library: { type: 'module' } },
          experiments: { outputModule: true },
          plugins: plugin ? [plugin.webpack()] : [],
        },
        made,
      );
    });
    const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
    if (errors[0] !== undefined) throw new Error(errors[0].message);
    for (const { message } of warnings) warn(message);
  },
};
