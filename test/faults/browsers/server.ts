/** The server behind the pages. It serves them, stores every posted batch, and counts each id once, as a collector does. */

import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Batch } from '@murmuration/shared';
import { build } from 'esbuild';
import { type RunningServer, startServer } from '../../kit/transport-server.ts';

export interface Posts {
  readonly address: string;
  /** The number of reports of an app's metric in all batches, with each batch counted once. */
  readonly counted: (app: string, metric?: string) => number;
  /** How often each batch of an app was posted. */
  readonly times: (app: string) => readonly number[];
  /** The outcomes that pages of an app reported for a metric. */
  readonly said: (app: string, metric?: string) => readonly string[];
  /** The number of batches that were posted again with different bytes. */
  readonly changed: () => number;
  /** Sets whether uploads are answered. While they are not, they are not stored either. */
  readonly setOnline: (isOnline: boolean) => void;
  readonly close: () => Promise<void>;
}

let script: Promise<string> | undefined;
const bundled = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
};

export async function openPosts(): Promise<Posts> {
  script ??= bundled();
  const text = await script;
  const bodies = new Map<string, { readonly body: string; readonly batch: Batch; times: number }>();
  const outcomes: (readonly [app: string, metric: string, result: string])[] = [];
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
    const batch = JSON.parse(body) as Batch;
    const known = bodies.get(batch.batch);
    if (known === undefined) bodies.set(batch.batch, { body, batch, times: 1 });
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
    said: (app, metric = 'plan') => outcomes.flatMap(([name, of, result]) => (name === app && of === metric ? result : [])),
    changed: () => changed,
    setOnline: (next) => {
      isOnline = next;
    },
    close: server.close,
  };
}
