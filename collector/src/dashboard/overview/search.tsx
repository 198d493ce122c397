// The search box. A slash or Ctrl+K leads to it from everywhere on the page; Enter opens the first question that is found.

import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface SearchProps {
  readonly words: string;
  readonly onWords: (words: string) => void;
  /** Called when the reader is done typing. */
  readonly onDone: () => void;
}

/** True where a slash is typed as a letter. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

export function Search({ words, onWords, onDone }: SearchProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isSlash = event.key === '/' && !(event.ctrlKey || event.metaKey || event.altKey) && !isTyping(event.target);
      if (!isSlash && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return;
      event.preventDefault();
      input.current?.select();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDone();
        }}
      >
        <input
          ref={input}
          type="search"
          aria-label="Find a question"
          aria-keyshortcuts="/ Control+K Meta+K"
          placeholder="Find a question, an answer, an owner"
          autocomplete="off"
          value={words}
          onInput={(event) => onWords(event.currentTarget.value)}
        />
        <span class="search-key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}
