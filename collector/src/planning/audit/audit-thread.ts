/** Audits in threads of their own: an audit of a large schema takes seconds to minutes, and ingest must not wait for it. */

import { Worker } from 'node:worker_threads';
import type { SchemaDocument } from '@murmuration/shared';
import { threadFile } from '../../base/threads.ts';
import type { Audit } from './audit.ts';

const auditInThread = (document: SchemaDocument): Promise<Audit> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(threadFile(import.meta.url, 'worker'), { workerData: document });
    worker
      .once('message', resolve)
      .once('error', reject)
      .once('exit', () => reject(new Error('the audit thread has ended')));
    worker.unref(); // a process that stops does not wait for it
  });

/** Returns the function that audits a schema by its wire name: each once, since an audit never changes, and one after the other. */
export function createAudits(): (wire: string, document: SchemaDocument) => Promise<Audit> {
  const kept = new Map<string, Promise<Audit>>();
  let last: Promise<unknown> = Promise.resolve();
  return (wire, document) => {
    const known = kept.get(wire);
    if (known !== undefined) return known;
    const audit = last.then(() => auditInThread(document));
    last = audit.catch(() => kept.delete(wire));
    kept.set(wire, audit);
    return audit;
  };
}
