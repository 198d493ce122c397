/** The audit thread: computes the audit of the last of some versions of a schema, and ends. */

import { parentPort, workerData } from 'node:worker_threads';
import type { SchemaDocument } from '@murmuration/shared';
import { auditOf } from './audit.ts';
import { spendingOf } from './spending.ts';

const versions = workerData as readonly SchemaDocument[];
const document = versions.at(-1) as SchemaDocument;
parentPort?.postMessage(await auditOf(document, spendingOf(document, versions.slice(0, -1))));
