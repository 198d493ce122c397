/**
 * Ids of batches: each must be four random words that the SDK was given, or their hash through a relay. Any other number could name the device,
 * and would join its reports.
 */

import { createHash } from 'node:crypto';
import type { Drawn } from '../agent-api.ts';
import { batchesOf } from '../batches.ts';
import { type Check, listed, row } from '../check.ts';
import { seededWords } from '../reference.ts';

const NAME = 'batch ids';

/** The ids that words can give, in the forms in which they are sent (docs/relay.md). */
function idsOf(all: readonly Drawn[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { start, drawn } of all) {
    const word = seededWords(start);
    const words = Array.from({ length: drawn }, () => word().toString(16).padStart(8, '0'));
    for (let at = 0; at + 4 <= drawn; at++) {
      const id = words.slice(at, at + 4).join('');
      ids.add(id).add(createHash('sha256').update(`relay ${id}`).digest('hex').slice(32));
    }
  }
  return ids;
}

export const batchIds: Check = {
  name: NAME,
  run: async (investigation) => {
    const stories = (await investigation.stories()).map(([, seen]) => seen);
    const all = stories.flatMap(({ sent, words }) => {
      const sentIds = batchesOf(sent).flatMap(({ batch }) => batch?.batch ?? []);
      if (sentIds.length === 0) return [];
      const known = idsOf(words);
      return sentIds.map((id) => ({ id, isKnown: known.has(id) }));
    });
    if (all.length === 0) return [row(NAME, 'not tested', 'no report was seen')];
    const strange = all.filter(({ isKnown }) => !isKnown).map(({ id }) => id);
    if (strange.length === 0) return [row(NAME, 'passed', `${all.length} ids are random words of the telemetry, and no name of a device`)];
    if (investigation.others.size > 0 || stories.some(({ unwatched }) => unwatched.length > 0))
      return [row(NAME, 'not tested', `where they come from is not known: ${listed(strange)}`)];
    return [row(NAME, 'failed', `ids that are not random words of the telemetry, so they could name the device: ${listed(strange)}`)];
  },
};
