/** `otherwise`, the answer that is sent for no answer, in readable form. */

import { type Json, labelOf } from '@murmuration/shared';

/** The `otherwise` answer in words. */
export function inWords(otherwise: Json): string {
  if (typeof otherwise === 'boolean') return otherwise ? 'yes' : 'no';
  if (Array.isArray(otherwise)) return otherwise.length > 0 ? otherwise.join(', ') : 'none of these';
  if (otherwise === '') return 'an empty text';
  return labelOf(otherwise as Parameters<typeof labelOf>[0]);
}
