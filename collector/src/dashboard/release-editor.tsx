// The editor of a question. It shows what the answer would cost and how far it would be off before anything is spent.

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Preview, ReleaseTable } from '../api/shown.ts';
import { costInWords, onPageOf } from '../api/shown-releases.ts';
import { problemInWords } from './api.ts';
import { count } from './format.ts';
import { fetchAnswer, fetchPreview } from './release-api.ts';
import { type Draft, Fields, firstDraft, questionOf } from './release-fields.tsx';

/** Milliseconds without a change until a draft is previewed. */
const PAUSE = 250;

/** The preview of a draft, or why there is none. */
function usePreview(draft: Draft, asked: number): Preview | string | null {
  const [found, setFound] = useState<Preview | string | null>(null);
  const text = JSON.stringify(questionOf(draft));
  // After an answer, what is left has changed.
  useEffect(() => {
    const control = new AbortController();
    const timer = setTimeout(() => {
      fetchPreview(JSON.parse(text), control.signal).then(setFound, (problem: unknown) => {
        if (!control.signal.aborted) setFound(problemInWords(problem));
      });
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [text, asked]);
  return found;
}

/** How far the answer will be off. */
function expectedError({ measure, error }: Preview['errors'][number]): VNode {
  const [before, bound, after] = onPageOf(measure.kind).expected(measure, error, count);
  return (
    <>
      {before}
      <strong>{bound}</strong>
      {after}
    </>
  );
}

function Expected({ preview }: { preview: Preview | string | null }): VNode {
  if (preview === null) return <p class="quiet">…</p>;
  if (typeof preview === 'string') return <p class="problem">{preview}</p>;
  const { cost, perDevice, days, errors, left, bound } = preview;
  return (
    <div class="release-expected" role="status">
      <p>{errors[0] && expectedError(errors[0])}</p>
      <p>
        It costs <strong>{costInWords(cost)}</strong> for each device-day, of at most {bound} {bound === 1 ? 'report' : 'reports'}
        {days > 1 && `; ${costInWords(perDevice)} for a device that reports on all ${days} days`}. You have{' '}
        {left === undefined ? 'no budget here' : `${left} left`}.
      </p>
    </div>
  );
}

export function Editor({ tables, onAnswer }: { tables: readonly ReleaseTable[]; onAnswer: () => void }): VNode {
  const [draft, setDraft] = useState(() => firstDraft(tables[0] as ReleaseTable, Date.now()));
  const [asked, setAsked] = useState(0);
  const [said, setSaid] = useState<string | null>(null);
  const preview = usePreview(draft, asked);
  const change = (next: Draft): void => {
    setSaid(null);
    setDraft(next);
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    try {
      const { isRepeated, entry } = await fetchAnswer(questionOf(draft));
      setSaid(
        isRepeated ? `This was answered before, as entry ${entry.n} below, and cost nothing.` : `Answered, as entry ${entry.n} below.`,
      );
      onAnswer();
    } catch (problem) {
      setSaid(problemInWords(problem));
    }
    setAsked(asked + 1);
  };
  return (
    <form class="panel release-panel" onSubmit={(event) => void submit(event)}>
      <h2>Ask</h2>
      <Fields tables={tables} draft={draft} onChange={change} />
      <Expected preview={preview} />
      <div class="release-ask">
        <button type="submit" disabled={typeof preview === 'string' || preview === null || preview.left === undefined}>
          {typeof preview === 'object' && preview !== null ? `Ask for ${costInWords(preview.cost)}` : 'Ask'}
        </button>
        <p role="alert">{said}</p>
      </div>
    </form>
  );
}
