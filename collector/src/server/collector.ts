/** The collector: one Express app over a store and a catalog of schemas. */

import type { RequestListener } from 'node:http';
import type { SchemaDocument } from '@murmuration/shared';
import type { Express, Router } from 'express';
import { createAnswering } from '../answers/answering.ts';
import type { Refusal } from '../base/refusal.ts';
import { createClosing } from '../ingest/clock.ts';
import { createGateway } from '../ingest/gateway.ts';
import { openRelayKeys, type RelayFile } from '../ingest/relay-keys.ts';
import { createIngest } from '../ingest/route.ts';
import type { CheckToken } from '../ingest/tokens.ts';
import { createAudits } from '../planning/audit/audit-thread.ts';
import { createPlanning } from '../planning/plan/plan-thread.ts';
import { createReleases } from '../release/service.ts';
import type { Shapes } from '../schemas/catalog.ts';
import { followSchemas, openSchemas } from '../schemas/live.ts';
import type { Administration } from '../storage/admin/administration.ts';
import { warnWithoutKey } from '../storage/admin/administration.ts';
import { lineOf } from '../storage/postgres/errors.ts';
import { LogThrottle } from '../storage/postgres/log-throttle.ts';
import { appOf } from '../storage/quota.ts';
import type { Commit, Store } from '../storage/store.ts';
import { startAlerts } from './alerts.ts';
import { type Counts, createCounts } from './health/counts.ts';
import { createHealth } from './health/health.ts';
import { type AccessParts, visibleCatalog } from './http/access.ts';
import { annotationsRouter } from './http/annotations.ts';
import { metricsRouter } from './http/metrics.ts';
import { publicRouter } from './http/public.ts';
import { releaseRouter } from './http/release.ts';
import { addRoutes, createApp, listenerOf, type RouteParts, readsRouter } from './http/routes.ts';
import { exactRouter } from './http/routing.ts';
import { schemaLogRouter } from './http/schema-log.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import { FailedSignIns, Sessions } from './http/sessions.ts';
import { createWellKnown } from './http/well-known.ts';
import { type CollectorOptions, type Settings, settingsOf } from './options.ts';

/** A running collector. */
export interface Collector {
  readonly app: Express;
  /** The same routes, to be mounted in another app, before any parser of bodies: `app.use('/telemetry', collector.router)`. */
  readonly router: Router;
  readonly store: Store;
  /** Keys, tokens and the log of actions. A program calls `admin.announceFirst` once, and shows its person the token. */
  readonly admin: Administration;
  /** Starts listening and resolves to the address. Port 0 picks a free port. */
  readonly listen: (port: number, host: string) => Promise<string>;
  /** The same for reads, if they are apart. */
  readonly listenForReads: (port: number, host: string) => Promise<string>;
  /**
   * Replaces the schemas that the collector was opened with. Those that were published by command stay.
   *
   * @throws {RangeError} when two schemas contradict each other; everything then stays as it was
   */
  readonly updateSchemas: (schemas: readonly SchemaDocument[]) => Promise<void>;
  /** Replaces the keys of the gateway, and the relays. */
  readonly updateRelay: (file: RelayFile) => Promise<void>;
  /** Begins to audit the schemas for `/.well-known/`, in a thread of its own. Otherwise the first stranger who asks begins it. */
  readonly prepare: () => void;
  /** Resolves when the store has failed for good. The collector must then be reopened. */
  readonly failed: Promise<Error>;
  /** Answers the requests that were accepted, then stops. */
  readonly close: () => Promise<void>;
}

/** Opens the administration. While it can't be read, the log says so once in a while. */
function openAdmin({ storage, log }: Settings): Promise<Administration> {
  const throttle = new LogThrottle((trouble) => log.error({ trouble }, `${storage.words.admin} could not be read`));
  return storage.admin.open((error) => throttle.log(lineOf(error), lineOf(error)));
}

/** Opens the store. Its commits close days, and are passed on. */
async function openStore(settings: Settings, shapes: Shapes, committed: (commit: Commit) => void): Promise<Store> {
  const { storage, now, log, room: limits, retention } = settings;
  const onTrouble = (trouble: string): void => log.warn({ trouble }, 'the store tries again');
  const close = createClosing({ now, expire: (day) => store.expire(day), onTrouble });
  const onCommit = (commit: Commit): void => {
    close(commit);
    committed(commit);
  };
  const store: Store = await (settings.openStore?.(shapes, onCommit) ??
    storage.openStore(shapes, { limits, retention, onTrouble, onCommit, now }));
  return store;
}

/** The function that listens, and resolves to the address. */
const listenOn =
  (server: HttpServer): Collector['listen'] =>
  async (port, host) => {
    const { address, port: taken, family } = await server.listen(port, host);
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
  };

/** The server of the app, and that of reads where they are apart. */
function serve(app: Express, parts: RouteParts, { readsApart, timeouts }: Settings, counts: Counts): readonly [HttpServer, HttpServer] {
  const serverOf = (listener: RequestListener): HttpServer =>
    createHttpServer(listener, timeouts, (refusal) => counts.answered('connection', refusal.status, refusal));
  const server = serverOf(listenerOf(app, parts.takeReports));
  return [server, readsApart ? serverOf(createApp(parts, false, true)) : server];
}

/**
 * Opens the store and sets up the routes.
 *
 * @throws {Error} when the store can't be opened or two schemas contradict each other
 */
export async function createCollector(options: CollectorOptions): Promise<Collector> {
  const settings = settingsOf(options);
  const { storage, minimum, truth, now, log, open: isOpen } = settings;
  const counts = createCounts(log);
  const admin = await openAdmin(settings);
  const schemas = await openSchemas(settings.schemas, admin);
  const store = await openStore(settings, schemas.shapes, counts.committed).catch(async (error: Error) => {
    await admin.close();
    throw error;
  });
  const updateSchemas = followSchemas(schemas, admin, store.publish, log, (served) => {
    if (!isOpen) warnWithoutKey(admin, served.map(appOf), storage.words.option, log);
  });
  const logSchemas = (): Promise<void> =>
    admin
      .logSchemas([...schemas.catalog.schemas.values()])
      .catch((err: unknown) => log.error({ err }, 'the log of schemas could not be completed'));
  await logSchemas();
  const answered = (status: number, refusal?: Refusal): void => counts.answered('reports', status, refusal);
  const { failed, skewed, relayed } = counts;
  let relay = settings.relay && (await openRelayKeys(settings.relay));
  for (const [wire, document] of schemas.catalog.schemas)
    if (document.relay && relay === undefined) log.warn(`${wire} takes reports through a relay only, and there are no --relay-keys`);
  const checkToken: CheckToken = (...batch) => relay?.checkToken(...batch);
  const ingest = await createIngest({
    ...settings,
    schemas,
    store,
    keys: isOpen ? undefined : admin,
    answered,
    failed,
    skewed,
    checkToken,
  });
  const gateway = createGateway({ ...ingest, keys: () => relay, relayed, now });
  const answering = createAnswering({ ...settings, store, shared: storage.shared, catalogOf: () => schemas.catalog });
  const releases = createReleases(store, settings);
  await releases.tidy().catch((err: unknown) => log.warn({ err }, 'counts of ended streams could not be deleted'));
  const health = createHealth({ counts, ingest, estimates: answering.waiting, watching: answering.watching, store, now });

  const access: AccessParts = { ...settings.access, isOpen, admin, sessions: new Sessions(), failed: new FailedSignIns(), now };
  const catalogOf = visibleCatalog(() => schemas.catalog);
  const { plans, close: endPlans } = createPlanning();
  const metrics = metricsRouter({ ...answering, catalogOf, plans, minimum, truth });
  const { audited, close: endAudits } = createAudits();
  const published = publicRouter({ ...answering, catalogOf: () => schemas.catalog, minimum, retention: settings.retention, now });
  const annotations = annotationsRouter({ admin, arrivals: answering.arrivals, catalogOf });
  const routers = { metrics, annotations, releases: releaseRouter({ ...releases, catalogOf }), published };
  const reads = readsRouter(access, () => schemas.catalog, routers, audited);
  const wellKnown = createWellKnown({
    catalogOf: () => schemas.catalog,
    listed: () => admin.listed,
    log: () => admin.schemaLog,
    audited,
    crowds: answering.crowds,
    now,
  });
  const schemaLog = schemaLogRouter({ log: () => admin.schemaLog, loggedDocument: (fingerprint) => admin.loggedDocument(fingerprint) });
  const parts: RouteParts = {
    takeReports: ingest.takeReports,
    gateway,
    reads,
    wellKnown: exactRouter().use(wellKnown.router, schemaLog),
    access,
    health,
    onFailure: counts.failed,
  };
  const app = createApp(parts, true, !settings.readsApart);
  const [server, readServer] = serve(app, parts, settings, counts);
  const endAlerts = settings.alerts === undefined ? undefined : startAlerts({ url: settings.alerts, signs: answering.watching.signs, log });
  return {
    app,
    router: addRoutes(exactRouter(), parts, true, true),
    store,
    admin,
    updateSchemas: async (files) => {
      await updateSchemas(files);
      await logSchemas();
    },
    updateRelay: async (file) => {
      relay = await openRelayKeys(file);
    },
    failed: store.failed,
    prepare: () => void wellKnown.make().catch(() => undefined),
    listen: listenOn(server),
    listenForReads: listenOn(readServer),
    close: async () => {
      endAlerts?.();
      health.stop();
      ingest.close();
      await Promise.all([server.close(), readServer.close(), answering.close(), releases.close(), endAudits(), endPlans()]);
      await store.close();
      await admin.close();
    },
  };
}
