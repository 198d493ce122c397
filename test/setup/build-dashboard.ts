// Bundles the dashboard into collector/dist/dashboard, which the collector serves at "/".
// Names of scripts and styles have a hash of their content, and are relative, so that the page works at any path. Each is compressed beside
// itself, which takes longer than a start may.

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
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

/** Eight characters of a file's hash. That of esbuild also covers the paths of its sources, so it differs between two folders. */
const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase();

/** Writes index.html with its main.js, releases.html with its releases.js, and main.css for both. `collector` is the folder of the package. */
export async function buildDashboard(collector: URL = new URL('../../collector/', import.meta.url)): Promise<void> {
  const source = fileURLToPath(new URL('src/dashboard/', collector));
  const target = fileURLToPath(new URL('dist/dashboard/', collector));
  await rm(target, { recursive: true, force: true });
  const { outputFiles } = await build({
    entryPoints: [
      { in: `${source}main.tsx`, out: 'main' },
      { in: `${source}releases.tsx`, out: 'releases' },
      { in: `${source}style.css`, out: 'main' },
    ],
    outdir: target,
    write: false,
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
  await mkdir(target, { recursive: true });
  const write = async (name: string, content: Uint8Array): Promise<void> => {
    await writeFile(`${target}${name}`, content);
    await writeFile(`${target}${name}.br`, brotliCompressSync(content));
    await writeFile(`${target}${name}.gz`, gzipSync(content, { level: 9 }));
  };
  const names = new Map<string, string>();
  for (const { path, contents } of outputFiles) {
    const { name, ext, base } = parse(path);
    names.set(base, `${name}-${hashOf(contents)}${ext}`);
    await write(names.get(base) as string, contents);
  }
  for (const page of ['index.html', 'releases.html']) {
    const html = await readFile(`${source}${page}`, 'utf8');
    const named = html.replace(/(?<=(?:src|href)="\.\/)[a-z]+\.(?:js|css)(?=")/g, (file) => names.get(file) ?? file);
    await write(page, Buffer.from(named));
  }
}
