/** Audits in threads of their own: an audit of a large schema takes seconds to minutes, and ingest must not wait for it. */

import { Worker } from 'node:worker_threads';
import type { SchemaDocument } from '@murmuration/shared';
import { connect, threadFile } from '../../base/threads.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import type { Audit } from './audit.ts';

async function auditInThread(versions: readonly SchemaDocument[]): Promise<Audit> {
  const worker = new Worker(threadFile(import.meta.url, 'worker'));
  const thread = connect<readonly SchemaDocument[], Audit>(worker, 'the audit thread has ended');
  worker.unref(); // a process that stops does not wait for it
  try {
    return await thread.ask(versions);
  } finally {
    await worker.terminate();
  }
}

/** Audits a schema of a catalog, by its wire name, with the versions of its app that devices may have had before. */
export type Audits = (wire: string, catalog: Catalog) => Promise<Audit>;

/** Makes the function that audits schemas: each once, since an audit never changes, and one after the other. */
export function createAudits(): Audits {
  const kept = new Map<string, Promise<Audit>>();
  let last: Promise<unknown> = Promise.resolve();
  return (wire, { schemas }) => {
    const document = schemas.get(wire) as SchemaDocument;
    const versions = [...schemas]
      .filter(([, { app, version }]) => app === document.app && version <= document.version)
      .sort(([, a], [, b]) => a.version - b.version);
    const name = versions.map(([each]) => each).join();
    const known = kept.get(name);
    if (known !== undefined) return known;
    const audit = last.then(() => auditInThread(versions.map(([, each]) => each)));
    last = audit.catch(() => kept.delete(name));
    kept.set(name, audit);
    return audit;
  };
}
