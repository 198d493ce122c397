/** The server behind the pages. It serves them, stores every posted batch, and counts each id once, as a collector does. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { esbuild } from '@murmuration/client/plugin';
import type { Batch } from '@murmuration/shared';
import { build, type Plugin } from 'esbuild';
import { isResolved } from '../../kit/resolved.ts';
import { type RunningServer, startServer } from '../../kit/transport-server.ts';
import { MUTANTS, mutated } from '../client/mutants.ts';

export interface Posts {
  readonly address: string;
  /** The number of reports of an app's metric in all batches, with each batch counted once. */
  readonly counted: (app: string, metric?: string) => number;
  /** How often each batch of an app was posted. */
  readonly times: (app: string) => readonly number[];
  /** All uploads of an app in order of arrival, each with its address. */
  readonly uploads: (app: string) => readonly (readonly [path: string, body: string])[];
  /** The outcomes that pages of an app reported for a metric. */
  readonly said: (app: string, metric?: string) => readonly string[];
  /** The number of batches that were posted again with different bytes. */
  readonly changed: () => number;
  /** Sets whether uploads are answered. While they are not, they are not stored either. */
  readonly setOnline: (isOnline: boolean) => void;
  readonly close: () => Promise<void>;
}

/** Breaks the client of the pages as the mutant says that the environment variable MUTANT names, so that a row can be seen to fail. */
const mutation: Plugin = {
  name: 'mutation',
  setup: ({ onLoad }) => {
    const mutant = MUTANTS.find(({ name }) => name === process.env['MUTANT']);
    if (mutant)
      onLoad({ filter: new RegExp(`client/src/${mutant.file}$`) }, async ({ path }) => ({
        contents: mutated(await readFile(path, 'utf8'), mutant),
        loader: 'ts',
      }));
  },
};

let script: Promise<string> | undefined;
const bundled = async (): Promise<string> => {
  const outdir = await mkdtemp(join(tmpdir(), 'murmuration-page-')); // the plugin writes the schema there
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    outdir,
    bundle: true,
    format: 'iife',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [mutation, ...(isResolved ? [esbuild()] : [])],
    write: false,
  }).finally(() => rm(outdir, { recursive: true, force: true }));
  return outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '';
};

export async function openPosts(): Promise<Posts> {
  script ??= bundled();
  const text = await script;
  const bodies = new Map<string, { readonly body: string; readonly batch: Batch; times: number }>();
  const outcomes: (readonly [app: string, metric: string, result: string])[] = [];
  const uploads: (readonly [path: string, body: string])[] = [];
  let [isOnline, changed] = [true, 0];

  /** Serves the pages: all with one script, which reads its parameters, and one without a script as a destination. */
  const serve = (path: string, response: ServerResponse): boolean => {
    const isPage = path.startsWith('/?');
    if (path.startsWith('/page.js')) response.writeHead(200, { 'content-type': 'text/javascript' }).end(text);
    else if (isPage || path === '/away') {
      const html = `<!doctype html><html lang="en"><title>Faults</title>${isPage ? '<script src="/page.js"></script>' : ''}`;
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    } else return false;
    return true;
  };
  const receive = (path: string, body: string): number => {
    if (path === '/said') {
      outcomes.push(JSON.parse(body));
      return 204;
    }
    if (!isOnline) return 503;
    uploads.push([path, body]);
    const batch = JSON.parse(body) as Batch;
    const id = `${batch.schema} ${batch.batch}`; // apps that are compared have the same coins
    const known = bodies.get(id);
    if (known === undefined) bodies.set(id, { body, batch, times: 1 });
    else {
      known.times++;
      if (known.body !== body) changed++;
    }
    return 204;
  };
  const server: RunningServer = await startServer(serve, receive);
  const ofApp = (app: string) => [...bodies.values()].filter(({ batch }) => batch.schema.startsWith(`${app}/`));
  return {
    address: server.address,
    counted: (app, metric = 'plan') => ofApp(app).flatMap(({ batch }) => batch.reports.filter(([name]) => name === metric)).length,
    times: (app) => ofApp(app).map(({ times }) => times),
    uploads: (app) => uploads.filter(([, body]) => body.includes(`"${app}/`)),
    said: (app, metric = 'plan') => outcomes.flatMap(([name, of, result]) => (name === app && of === metric ? result : [])),
    changed: () => changed,
    setOnline: (next) => {
      isOnline = next;
    },
    close: server.close,
  };
}
