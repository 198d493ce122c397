/** The collector: one Express app over a store and a catalog of schemas. */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { publish, type SchemaDocument } from '@murmuration/shared';
import express, { type ErrorRequestHandler, type Express } from 'express';
import helmet from 'helmet';
import { type Logger, pino } from 'pino';
import { createCatalog } from './catalog.ts';
import type { Truth } from './estimates.ts';
import { ingest } from './http/ingest.ts';
import { metricsRouter } from './http/metrics.ts';
import { Problem, sendProblem } from './http/problem.ts';
import { freeBytes, Room } from './http/room.ts';
import { createHttpServer, TIMEOUTS, type Timeouts } from './http/server.ts';
import { openSqliteStore } from './store/sqlite.ts';
import type { Shapes, Store } from './store/store.ts';

/** What a collector needs. */
export interface CollectorOptions {
  readonly schemas: readonly SchemaDocument[];
  /** The folder of the embedded store. */
  readonly data: string;
  /** The strings to estimate for text metrics, by metric name. */
  readonly candidates?: { readonly [metric: string]: readonly string[] };
  /** Fewer reports than this say nothing: 20 when left out. */
  readonly minimum?: number;
  /** For demonstrations: the true shares, shown beside the estimates. */
  readonly truth?: Truth;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly log?: Logger;
  /** Pages that may report, as browsers name them (`https://app.example`): all when left out. A request without an origin is no page. */
  readonly origins?: readonly string[];
  /** Reports that one source may send in a minute; any number when left out. A source is the address that connects. */
  readonly perMinute?: number;
  /** Reports of one metric in one batch, of which an honest device sends one: 1,000 when left out, all that a batch may hold. */
  readonly perMetric?: number;
  /** Bytes of bodies that may wait for their commit before others are asked to come later: 16 MiB when left out. */
  readonly mostQueued?: number;
  /** Bytes of the disk that stay free: 256 MiB when left out. */
  readonly leastFree?: number;
  /** How many bytes of the disk are free. */
  readonly free?: () => Promise<number>;
  readonly timeouts?: Timeouts;
  /** The store, when it is not the embedded one. */
  readonly openStore?: (shapes: Shapes) => Promise<Store>;
}

/** A running collector. */
export interface Collector {
  readonly app: Express;
  readonly store: Store;
  /** Listens, and resolves to the address. Port 0 takes a free one. */
  readonly listen: (port: number, host: string) => Promise<string>;
  /** Answers what was accepted, then stops. */
  readonly close: () => Promise<void>;
}

const dashboard = fileURLToPath(new URL('../dist/dashboard/', import.meta.url));

/**
 * Opens the store and wires the routes.
 *
 * @throws {Error} when the store can't be opened or two schemas contradict each other
 */
export async function openCollector(options: CollectorOptions): Promise<Collector> {
  const { schemas, data, candidates = {}, minimum = 20, truth, now = Date.now, log = pino({ level: 'silent' }) } = options;
  const catalog = createCatalog(schemas);
  const published = new Map([...catalog.schemas].map(([wire, document]) => [wire, publish(document)]));
  const shapes = new Map([...published].map(([wire, { metrics }]) => [wire, metrics]));
  const store = await (options.openStore?.(shapes) ?? openSqliteStore(data, shapes));
  const { mostQueued = 2 ** 24, leastFree = 2 ** 28, free = () => freeBytes(data), origins, perMinute, perMetric } = options;
  const room = new Room({ mostQueued, leastFree, free });
  await room.look();
  let isClosing = false;
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.post('/v1/reports', ingest({ schemas: published, store, room, now, origins, perMinute, perMetric, isClosing: () => isClosing }));
  app.use(helmet({ strictTransportSecurity: false, contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  app.use(metricsRouter(catalog, store, ({ metric }) => ({ minimum, truth, candidates: candidates[metric] ?? [] })));
  app.use(express.static(dashboard));
  app.use((request) => {
    throw new Problem(404, 'not-found', 'a route of the collector', `${request.method} ${request.path.slice(0, 80)}`);
  });
  const onError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof Problem) return sendProblem(response, error.status, error.code, error.expected, error.got);
    const { status } = error as { readonly status?: number };
    if (status !== undefined && status >= 400 && status < 500)
      return sendProblem(response, status, 'bad-request', 'a well-formed request', 'another');
    log.error({ err: error }, 'a request failed');
    sendProblem(response, 500, 'internal', 'no failure', 'one; the log has it');
  };
  app.use(onError);

  let server: Server | undefined;
  return {
    app,
    store,
    listen: async (port, host) => {
      server = createHttpServer(app, options.timeouts ?? TIMEOUTS).listen(port, host);
      await once(server, 'listening');
      const { address, port: taken, family } = server.address() as AddressInfo;
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
    },
    close: async () => {
      isClosing = true;
      room.close();
      if (server !== undefined) {
        const closed = once(server, 'close');
        server.close();
        server.closeIdleConnections();
        // Who is still sending has the time that any request has.
        const late = setTimeout(() => server?.closeAllConnections(), (options.timeouts ?? TIMEOUTS).request);
        await closed;
        clearTimeout(late);
      }
      await store.close();
    },
  };
}
