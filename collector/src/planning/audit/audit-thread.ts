/**
 * Audits in a thread of their own: an audit of a large schema takes seconds to minutes, and ingest must not wait for it. All audits share the
 * thread, because anybody may ask for them (`/.well-known/`), and its start takes longer than most audits.
 */

import { Worker } from 'node:worker_threads';
import type { SchemaDocument } from '@murmuration/shared';
import { createTaskQueue, type TaskLimits, threadFile } from '../../base/threads.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import type { Audit } from './audit.ts';

/** Milliseconds that the running audit gets when the collector stops. */
const GRACE = 2_000;

const LIMITS: TaskLimits = { mostWaiting: Number.POSITIVE_INFINITY, longest: 3_600_000, longestAlone: 3_600_000, idle: 10_000 };

/** Audits a schema of a catalog, by its wire name, with the versions of its app that devices may have had before. */
export type Audits = (wire: string, catalog: Catalog) => Promise<Audit>;

/** The service of audits. */
export interface Auditing {
  /** Audits each schema once, since an audit never changes, and one after the other. */
  readonly audited: Audits;
  /** Refuses what waits, and ends the thread. */
  readonly close: () => Promise<void>;
}

/** Creates the service. No thread runs until the first audit. @param begin starts the thread */
export function createAudits(begin: () => Worker = () => new Worker(threadFile(import.meta.url, 'worker'))): Auditing {
  const kept = new Map<string, Promise<Audit>>();
  const queue = createTaskQueue<readonly SchemaDocument[], Audit>(begin, LIMITS);
  const audited: Audits = (wire, { schemas }) => {
    const document = schemas.get(wire) as SchemaDocument;
    const versions = [...schemas]
      .filter(([, { app, version }]) => app === document.app && version <= document.version)
      .sort(([, a], [, b]) => a.version - b.version);
    const name = versions.map(([each]) => each).join();
    const known = kept.get(name);
    if (known !== undefined) return known;
    const documents = versions.map(([, each]) => each);
    const audit = queue.run(documents, new AbortController().signal);
    audit.catch(() => kept.delete(name));
    kept.set(name, audit);
    return audit;
  };
  return { audited, close: () => queue.end(GRACE) };
}
