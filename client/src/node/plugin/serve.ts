/**
 * The plugin in Vite's development server, which writes no bundle: it puts the development panel into pages, and serves a page where imagined
 * users answer the app's questions. None of this is part of a build.
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SchemaDocument } from '@murmuration/shared';
import type { UnpluginOptions } from 'unplugin';
import { type Imagine, pageOf } from './page.ts';

const PAGE = '__murmuration';
/** A module that only the development server has. */
const PANEL = '/@murmuration/panel';
const COLLECTOR = '@murmuration/collector/imagine';

/** Modules that the plugin's own code imports. */
const WRITTEN: readonly string[] = ['@murmuration/client/panel', '@murmuration/client/resolved'];

/** The least version of Node that the collector runs in. */
const LEAST_NODE = 24;

/** The plugin's part of a development server. */
export interface Serving {
  readonly hooks: NonNullable<UnpluginOptions['vite']>;
  /** False in a build. */
  readonly isServing: () => boolean;
  /** The schemas of the modules that have been asked for, by file. */
  readonly schemas: Map<string, readonly SchemaDocument[]>;
}

/** The collector's simulation or, where there is none, what to do about it. */
async function imagineFrom(root: string): Promise<Imagine | string> {
  const what = 'To see here what 10,000 users like these would look like on the dashboard';
  let path: string;
  try {
    path = createRequire(join(root, 'package.json')).resolve(COLLECTOR);
  } catch {
    return `${what}, run: npm install --save-dev @murmuration/collector`;
  }
  const version = process.versions.node;
  if (Number.parseInt(version, 10) < LEAST_NODE)
    return `${what}, run this server with Node ${LEAST_NODE} or newer, which the collector needs. It runs with Node ${version}.`;
  return ((await import(pathToFileURL(path).href)) as { readonly imagine: Imagine }).imagine;
}

/** Serves nothing until Vite says that this is a server. */
export function createServing(): Serving {
  let [isOn, root, base] = [false, '', '/'];
  const schemas: Serving['schemas'] = new Map();
  const hooks: Serving['hooks'] = {
    // Vite looks for packages in the app's files, and starts its pages again for one that it finds late.
    config: (_, { command }) => (command === 'serve' ? { optimizeDeps: { include: [...WRITTEN] } } : undefined),
    configResolved: (config) => {
      isOn = config.command === 'serve';
      ({ root, base } = config);
    },
    resolveId: (id) => (isOn && id === PANEL ? id : undefined),
    load: (id) =>
      isOn && id === PANEL
        ? `import { installPanel } from '@murmuration/client/panel';\ninstallPanel({ page: ${JSON.stringify(base + PAGE)} });`
        : undefined,
    // Before the app's own modules, so that a panel that was open sees their first records.
    transformIndexHtml: () =>
      isOn ? [{ tag: 'script', attrs: { type: 'module', src: base + PANEL.slice(1) }, injectTo: 'head-prepend' }] : undefined,
    configureServer: ({ middlewares }) => {
      middlewares.use((request, response, next) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server');
        if (pathname !== base + PAGE) return next();
        imagineFrom(root)
          .then((imagine) => {
            response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
            response.end(pageOf([...schemas.values()].flat(), searchParams, imagine));
          })
          .catch(next);
      });
    },
  };
  return { hooks, isServing: () => isOn, schemas };
}
