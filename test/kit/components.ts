/** Components of Vue and Svelte in esbuild, compiled as the plugins of bundlers do. */

import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { compile } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';

/** The plugin of a bundle; components of Svelte are compiled for a page or for a server. */
export const componentsOn = (generate: 'client' | 'server'): Plugin => ({
  name: 'components',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { descriptor } = parse(await readFile(path, 'utf8'), { filename: path });
      return { contents: compileScript(descriptor, { id: 'consent', inlineTemplate: true }).content, loader: 'ts' };
    });
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(await readFile(path, 'utf8'), { filename: path, generate });
      return { contents: js.code, loader: 'js' };
    });
  },
});

export const components: Plugin = componentsOn('client');
