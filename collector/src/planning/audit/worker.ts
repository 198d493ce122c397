/** The audit thread: computes the audit of the last of some versions of a schema. */

import type { SchemaDocument } from '@murmuration/shared';
import { serve } from '../../base/threads.ts';
import { auditOf } from './audit.ts';
import { spendingOf } from './spending.ts';

serve((versions: readonly SchemaDocument[]) => {
  const document = versions.at(-1) as SchemaDocument;
  return auditOf(document, spendingOf(document, versions.slice(0, -1)));
});
