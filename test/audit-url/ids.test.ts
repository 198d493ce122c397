/** The ids of batches, against the words that the audit gave to the page. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { batchIds } from '#collector/planning/audit/deployed/checks/ids.ts';
import type { Investigation } from '#collector/planning/audit/deployed/investigation.ts';
import { seededWords } from '#collector/planning/audit/deployed/reference.ts';

const START = -7;

/** The id that four words make, the first of which is at a place of the stream. */
function idAt(place: number): string {
  const word = seededWords(START);
  const words = Array.from({ length: place + 4 }, () => word().toString(16).padStart(8, '0'));
  return words.slice(place).join('');
}

async function verdictOn(ids: readonly string[], others: readonly string[] = []): Promise<string> {
  const sent = ids.map((batch) => ({ isReport: true, method: 'POST', body: JSON.stringify({ v: 1, schema: 'a', batch, reports: [] }) }));
  const investigation = {
    others: new Set(others),
    stories: async () => [[{}, { sent, unwatched: [], words: [{ start: START, drawn: 256 }] }]],
  };
  const [row] = await batchIds.run(investigation as unknown as Investigation);
  return row?.verdict ?? '';
}

test('ids of random words pass, as they are and as a relay hides them', async () => {
  const hidden = createHash('sha256')
    .update(`relay ${idAt(9)}`)
    .digest('hex')
    .slice(32);
  expect(await verdictOn([idAt(0), idAt(252), hidden])).toBe('passed');
});

test('an id in which anything else is written fails', async () => {
  for (const id of [idAt(0).replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), idAt(0).slice(8) + idAt(40).slice(24), idAt(253)])
    expect(await verdictOn([idAt(4), id])).toBe('failed');
});

test('where coins come from elsewhere, ids may, too', async () => {
  expect(await verdictOn(['0'.repeat(32)], ['dark'])).toBe('not tested');
  expect(await verdictOn([])).toBe('not tested');
});
