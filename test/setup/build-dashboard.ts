// Bundles the dashboard into collector/dist/dashboard, which the collector serves at "/".
// Names are fixed and relative, so that the page works at any path; the collector's ETags distinguish versions.

import { copyFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { MEANINGS } from '#collector/dashboard/meanings.ts';

/** Replaces the module meanings.ts by the sentences that it collects. */
const meanings: Plugin = {
  name: 'meanings',
  setup: ({ onLoad }) => {
    onLoad({ filter: /dashboard.meanings\.ts$/ }, () => ({
      contents: `export const MEANINGS = ${JSON.stringify(MEANINGS)};`,
      loader: 'js',
    }));
  },
};

/** Writes index.html with main.js, releases.html with releases.js, and main.css for both. `collector` is the folder of the package. */
export async function buildDashboard(collector: URL = new URL('../../collector/', import.meta.url)): Promise<void> {
  const source = fileURLToPath(new URL('src/dashboard/', collector));
  const target = fileURLToPath(new URL('dist/dashboard/', collector));
  await rm(target, { recursive: true, force: true });
  await build({
    entryPoints: [
      { in: `${source}main.tsx`, out: 'main' },
      { in: `${source}releases.tsx`, out: 'releases' },
      { in: `${source}style.css`, out: 'main' },
    ],
    outdir: target,
    bundle: true,
    plugins: [meanings],
    minify: true,
    format: 'esm',
    target: ['es2023', 'chrome117', 'firefox124', 'safari17.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const page of ['index.html', 'releases.html']) await copyFile(`${source}${page}`, `${target}${page}`);
}
