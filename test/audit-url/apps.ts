/** Apps to audit, honest and not: one page with three questions, built in several ways, and the same page with a cheat in it. */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { esbuild as plugin, vite as vitePlugin } from '@murmuration/client/plugin';
import { encodeKeys, pairOf, toBase64url } from '@murmuration/shared';
import { type BuildOptions, build } from 'esbuild';
import { minify } from 'terser';
import { build as viteBuild } from 'vite';

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** The schema of the app. */
export const SCHEMA = `export const schema = defineSchema({
  app: 'audited', version: 3, budget: { epsilon: 7, per: 'month' },
  metrics: {
    dark: flag({ epsilon: 1, every: 'week', description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
    size: permanent(choice(['small', 'large'], { epsilon: 0.5, every: 'week', description: 'Which size?' }), { epsilon: 1, renew: 'year' }),
  },
});`;

/** The parts of the app that a cheat may change. */
export interface Parts {
  /** Before everything else. */
  readonly before?: string;
  /** The schema. */
  readonly schema?: string;
  /** Further options of the telemetry. */
  readonly options?: string;
  /** The body of \`answer(metric, value)\`, which records what was clicked. */
  readonly answer?: string;
  /** After everything else. */
  readonly after?: string;
  /** A file that is served as \`/worker.js\`. */
  readonly worker?: string;
}

/** The secret key of a collector, which the app has the public half of. */
const SECRET = new Uint8Array(32).fill(5);

/** The key configuration of the collector. */
export const KEYS = encodeKeys([{ id: 7, publicKey: (await pairOf(SECRET)).publicKey }]);

/** The address at the relay. Nothing answers there. */
export const RELAY = 'https://relay.example/audited';

/** The honest app with its reports through a relay. */
export const relayed = {
  before: `import { relayTransport } from '@murmuration/client/relay';`,
  schema: SCHEMA.replace('version: 3,', `version: 3, reports: 'alone', relay: 'required',`),
  options: `transport: relayTransport({ schema, relay: '${RELAY}', keys: '${toBase64url(KEYS)}' }),`,
} as const satisfies Parts;

/** The telemetry, and what takes the answers. */
const telling = (
  { before = '', schema = SCHEMA, options = '', answer = 'telemetry.record(metric, value);' }: Parts,
  lifecycle = '',
): string => `
import { choice, createTelemetry, defineSchema, flag, permanent } from '@murmuration/client';
${lifecycle && `import { workerLifecycle } from '@murmuration/client/worker';`}
${before}
${schema}
const telemetry = createTelemetry({ schema, endpoint: location.origin + '/telemetry', ${lifecycle} ${options} });
const answer = (metric, value) => { ${answer} };
`;

/** What is called when something is clicked. */
const clicks = (answer: string, decide: (decision: string) => string): string => `
for (const button of document.querySelectorAll('button[data-metric]'))
  button.addEventListener('click', () => ${answer}(button.dataset.metric, JSON.parse(button.dataset.value)));
document.getElementById('agree').addEventListener('click', () => ${decide('consent.grant')});
document.getElementById('refuse').addEventListener('click', () => ${decide('consent.deny')});
document.getElementById('forget').addEventListener('click', () => ${decide('forget')});
`;

/** The app's script. */
export const script = (parts: Parts = {}): string => `
${telling(parts)}
${clicks('answer', (decision) => `telemetry.${decision}()`)}
${parts.after ?? ''}
`;

/** The kinds of worker that can have the telemetry, and how a page begins one and gets its port. */
export const WORKERS: Readonly<Record<string, string>> = {
  worker: `new Worker('/worker.js')`,
  'worker of a worker': `new Worker('/outer.js')`,
  'shared worker': `new SharedWorker('/worker.js').port`,
  'service worker': `(await navigator.serviceWorker.register('/worker.js'), (await navigator.serviceWorker.ready).active)`,
};

/** The app with its telemetry in a worker: the scripts of the page and of the worker. */
export const workerScripts = (kind: string, parts: Parts = {}): { readonly page: string; readonly worker: string } => ({
  page: `
const port = ${WORKERS[kind]};
${clicks('((...args) => port.postMessage(args))', (decision) => `port.postMessage('${decision}')`)}
`,
  worker: `
${telling(parts, 'lifecycle: workerLifecycle,')}
const hear = ({ data }) => {
  if (data === 'consent.grant') telemetry.consent.grant();
  else if (data === 'consent.deny') telemetry.consent.deny();
  else if (data === 'forget') telemetry.forget();
  else answer(...data);
};
if ('onconnect' in globalThis) onconnect = ({ ports: [port] }) => { port.onmessage = hear; };
else addEventListener('message', hear);
if ('clients' in globalThis) {
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
}
`,
});

const VALUES = { dark: [false, true], plan: ['free', 'pro', 'team'], size: ['small', 'large'] } as const;
const buttons = Object.entries(VALUES).flatMap(([metric, values]) =>
  values.map((value) => `<button id="${metric}-${value}" data-metric="${metric}" data-value='${JSON.stringify(value)}'>${value}</button>`),
);
const html = (scripts: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Audited</title></head><body>
<button id="agree">Agree</button><button id="refuse">Refuse</button><button id="forget">Forget</button>
${buttons.join('\n')}<input id="note" value="my secret note"><p id="shown"></p>${scripts}</body></html>`;

/** The plan of the app. */
export const PLAN = {
  consent: '#agree',
  deny: '#refuse',
  forget: '#forget',
  acts: Object.fromEntries(
    Object.entries(VALUES).map(([metric, values]) => [
      metric,
      Object.fromEntries(values.map((value) => [`${value}`, `#${metric}-${value}`])),
    ]),
  ),
  canary: 'my secret note',
};

/** Files by their address. */
export type Files = Readonly<Record<string, string>>;

/** Builds a script into files that a page loads. */
type Builder = (text: string) => Promise<Files>;

const OPTIONS = {
  bundle: true,
  write: false,
  platform: 'browser',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'silent',
} as const satisfies BuildOptions;

async function inFolder<T>(text: string, work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(TESTS, '.audited-'));
  try {
    const file = join(folder, 'app.js');
    await writeFile(file, text);
    return await work(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const withEsbuild =
  (options: BuildOptions, type = 'module'): Builder =>
  (text) =>
    inFolder(text, async (file) => {
      const { outputFiles = [] } = await build({
        ...OPTIONS,
        entryPoints: [file],
        outdir: join(file, '..', 'out'),
        format: 'esm',
        ...options,
      } as BuildOptions);
      const scripts = outputFiles.filter(({ path }) => path.endsWith('.js'));
      const files = Object.fromEntries(scripts.map(({ path, text: built }) => [path.replace(/.*[\\/]out/, ''), built]));
      return { ...files, '/': html(`<script ${type === 'module' ? 'type="module"' : ''} src="/app.js"></script>`) };
    });

const withTerser =
  (options: Parameters<typeof minify>[1]): Builder =>
  async (text) => {
    const files = await withEsbuild({})(text);
    const { code = '' } = await minify(files['/app.js'] ?? '', { module: true, ...options });
    return { ...files, '/app.js': code };
  };

const withVite =
  (plugins: unknown[]): Builder =>
  (text) =>
    inFolder(text, async (file) => {
      const folder = join(file, '..');
      const out = await mkdtemp(join(tmpdir(), 'murmuration-audited-'));
      await writeFile(join(folder, 'index.html'), html('<script type="module" src="/app.js"></script>'));
      await mkdir(out, { recursive: true });
      await viteBuild({
        root: folder,
        configFile: false,
        logLevel: 'silent',
        define: { 'process.env.NODE_ENV': '"production"' },
        plugins: plugins as never,
        build: { outDir: out, emptyOutDir: true },
      });
      const names = (await readdir(out, { recursive: true })).filter((name) => extname(name) !== '');
      const files = await Promise.all(names.map(async (name) => [`/${name}`, await readFile(join(out, name), 'utf8')] as const));
      await rm(out, { recursive: true });
      const all = Object.fromEntries(files);
      return { ...all, '/': all['/index.html'] ?? '' };
    });

/** The ways in which the app is built. */
export const builders: Readonly<Record<string, Builder>> = {
  esbuild: withEsbuild({ minify: true }),
  'esbuild, not minified': withEsbuild({}),
  'esbuild, splitting': withEsbuild({ minify: true, splitting: true }),
  'esbuild, ES2017': withEsbuild({ minify: true, target: 'es2017' }),
  'esbuild, classic script': withEsbuild({ minify: true, format: 'iife' }, 'classic'),
  'esbuild, development': withEsbuild({ define: { 'process.env.NODE_ENV': '"development"' } }),
  'esbuild, plugin': withEsbuild({ minify: true, plugins: [plugin()] }),
  terser: withTerser({}),
  'terser, mangled': withTerser({ mangle: { toplevel: true }, compress: { passes: 3, unsafe: true } }),
  vite: withVite([]),
  'vite, plugin': withVite([vitePlugin()]),
};

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };

/** Serves files on 127.0.0.1, and answers everything else with 404. Without a listener, what is posted is answered with 204. */
export async function serveFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  post: RequestListener = (_request, response) => response.writeHead(204).end(),
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const file = files[new URL(request.url ?? '/', 'http://a').pathname];
    if (request.method === 'POST') post(request, response);
    else if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': TYPES[extname(request.url ?? '')] ?? 'text/html' }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
