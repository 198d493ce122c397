// How far a long decode is, in words and as a bar; before anything is known, the usual placeholder.

import type { VNode } from 'preact';
import { count } from './format.ts';
import { LoadingBars } from './states.tsx';
import type { Progress } from './types.ts';

/** A stage in words. Of the first two there is nothing to say that would help anybody. */
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
  }
}

export function Decoding({ progress }: { progress: Progress | null }): VNode {
  if (progress === null) return <LoadingBars />;
  const known = progress.stage === 'hashing' ? { value: progress.done, max: progress.candidates } : {};
  const words = inWords(progress);
  return (
    <div class="quiet decoding" role="status">
      <p>{words}</p>
      <progress {...known} aria-label={words} />
    </div>
  );
}
