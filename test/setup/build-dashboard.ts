// Bundles the dashboard into collector/dist/dashboard, which the collector serves at "/".
// Names of scripts and styles have a hash of their content, and are relative, so that the page works at any path. Each is compressed beside
// itself, which takes longer than a start may.

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
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

/** A text in which the names of files are those that they are written under. */
const renamed = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(/(?<=["'`]\.\/)[\w-]+\.(?:js|css)(?=["'`])/g, (file) => names.get(file) ?? file);

/** The files that a file imports, by its name. */
const importsOf = (file: string, { outputs }: Metafile, kind?: 'import-statement'): readonly string[] =>
  Object.entries(outputs).flatMap(([path, { imports }]) =>
    parse(path).base === file
      ? imports.filter((each) => kind === undefined || each.kind === kind).map((each) => parse(each.path).base)
      : [],
  );

/** Files such that each comes after those whose names it holds: styles, then what it imports. */
function inOrder(files: readonly OutputFile[], metafile: Metafile): readonly OutputFile[] {
  const ordered: OutputFile[] = [];
  const add = (file: OutputFile): void => {
    if (ordered.includes(file)) return;
    for (const name of importsOf(parse(file.path).base, metafile)) for (const each of files) if (parse(each.path).base === name) add(each);
    ordered.push(file);
  };
  for (const file of files.filter(({ path }) => path.endsWith('.css'))) add(file);
  for (const file of files) add(file);
  return ordered;
}

/** What an entry shares with others. It is fetched beside the entry, not after it. */
const sharedBy = (entry: string, metafile: Metafile): readonly string[] => importsOf(entry, metafile, 'import-statement');

/** Scripts and styles of a page. Each page has its own: what pages share would be in many files, and a browser asks for six at a time. */
const PAGES: readonly (readonly (readonly [source: string, name: string])[])[] = [
  [
    ['main.tsx', 'main'],
    ['style.css', 'main'],
    ['later.css', 'later'],
  ],
  [['release-page.tsx', 'releases']],
  [['public.tsx', 'public']],
  [['asked.tsx', 'asked']],
];

/** Writes each page with its script (index.html with main.js), main.css for all, and later.css for those with pictures. `collector` is the folder of the package. */
export async function buildDashboard(collector: URL = new URL('../../collector/', import.meta.url)): Promise<void> {
  const source = fileURLToPath(new URL('src/dashboard/', collector));
  const target = fileURLToPath(new URL('dist/dashboard/', collector));
  await rm(target, { recursive: true, force: true });
  const bundles = PAGES.map((entries) =>
    build({
      entryPoints: entries.map(([file, out]) => ({ in: `${source}${file}`, out })),
      outdir: target,
      write: false,
      bundle: true,
      splitting: true,
      chunkNames: '[name]-[hash]',
      metafile: true,
      plugins: [meanings],
      minify: true,
      format: 'esm',
      target: ['es2023', 'chrome117', 'firefox124', 'safari17.4'],
      jsx: 'automatic',
      jsxImportSource: 'preact',
      legalComments: 'none',
      logLevel: 'warning',
    }),
  );
  const built = await Promise.all(bundles);
  const outputFiles = built.flatMap((each) => each.outputFiles);
  const metafile: Metafile = { inputs: {}, outputs: Object.assign({}, ...built.map((each) => each.metafile.outputs)) };
  await mkdir(target, { recursive: true });
  const write = async (name: string, content: Uint8Array): Promise<void> => {
    await writeFile(`${target}${name}`, content);
    await writeFile(`${target}${name}.br`, brotliCompressSync(content));
    await writeFile(`${target}${name}.gz`, gzipSync(content, { level: 9 }));
  };
  const names = new Map<string, string>();
  for (const { path, contents } of inOrder(outputFiles, metafile)) {
    const { name, ext, base } = parse(path);
    const named = Buffer.from(renamed(Buffer.from(contents).toString(), names));
    names.set(base, `${name.replace(/-[A-Z0-9]{8}$/, '')}-${hashOf(named)}${ext}`);
    await write(names.get(base) as string, named);
  }
  const head = await readFile(`${source}head.html`, 'utf8');
  for (const page of ['index.html', 'releases.html', 'public.html', 'asked.html']) {
    const html = (await readFile(`${source}${page}`, 'utf8')).replace(/ *<!-- head.html -->\n/, head);
    const [entry = ''] = /[a-z]+\.js/.exec(html) ?? [];
    const preloads = sharedBy(entry, metafile).map((file) => `<link rel="modulepreload" href="./${file}" />\n    `);
    await write(page, Buffer.from(renamed(html.replace('<script', `${preloads.join('')}<script`), names)));
  }
}
