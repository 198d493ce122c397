/** The audit thread: computes the audit of one schema, and ends. */

import { parentPort, workerData } from 'node:worker_threads';
import type { SchemaDocument } from '@murmuration/shared';
import { auditOf } from './audit.ts';

parentPort?.postMessage(await auditOf(workerData as SchemaDocument));
