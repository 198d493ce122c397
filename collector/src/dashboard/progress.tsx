// How far a long decode is, in words and as a bar; before anything is known, the usual placeholder.

import type { VNode } from 'preact';
import type { Progress } from '../api/shown.ts';
import { count } from './format.ts';
import { LoadingBars } from './states.tsx';

/** A stage in words, which screen readers read aloud. So they do not change all the time. */
function inWords(progress: Progress): string {
  switch (progress.stage) {
    case 'waiting':
      return 'Waiting for the collector to be free…';
    case 'reading':
      return 'Reading the reports…';
    case 'hashing':
      return `Preparing ${count(progress.candidates)} strings to look for…`;
    case 'decoding':
      return `Looking for ${count(progress.candidates)} strings in the reports…`;
    case 'searching': {
      const { search, found } = progress;
      return search === 1 ? 'Looking for strings…' : `${count(found)} ${found === 1 ? 'string' : 'strings'} found. Looking for more…`;
    }
  }
}

/** How much of a stage is done, where that is known. */
function howFar(progress: Progress): { readonly value?: number; readonly max?: number } {
  if (progress.stage === 'hashing') return { value: progress.done, max: progress.candidates };
  return progress.stage === 'searching' ? { value: progress.length, max: progress.longest } : {};
}

/** What else there is to see of a decode or a search. */
function detailOf(progress: Progress): string | undefined {
  if (progress.stage === 'decoding' && progress.steps > 0) return `Step ${progress.steps}`;
  if (progress.stage !== 'searching') return undefined;
  const { length, longest, kept } = progress;
  return `${length} of ${longest} bytes, ${count(kept)} beginnings still possible`;
}

export function Decoding({ progress }: { progress: Progress | null }): VNode {
  if (progress === null) return <LoadingBars />;
  const known = howFar(progress);
  const words = inWords(progress);
  const detail = detailOf(progress);
  return (
    <div class="quiet decoding" role="status">
      <p>{words}</p>
      <progress {...known} aria-label={words} />
      {detail && (
        <p class="note" aria-hidden="true">
          {detail}
        </p>
      )}
    </div>
  );
}
