// Bundles the dashboard into collector/dist/dashboard, which the collector serves at "/".
// Names are fixed and relative, so that the page works at any path; the collector's ETags tell versions apart.

import { copyFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('../../collector/src/dashboard/', import.meta.url));
const target = fileURLToPath(new URL('../../collector/dist/dashboard/', import.meta.url));

/** Writes index.html, main.js and main.css. */
export async function buildDashboard(): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await build({
    entryPoints: [
      { in: `${source}main.tsx`, out: 'main' },
      { in: `${source}style.css`, out: 'main' },
    ],
    outdir: target,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2023', 'chrome117', 'firefox124', 'safari17.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
  });
  await copyFile(`${source}index.html`, `${target}index.html`);
}
