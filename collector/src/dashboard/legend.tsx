// Explains the marks of a chart, and only those that it shows,
// so that a card copied onto a slide still explains itself.

import type { VNode } from 'preact';
import type { Answer } from '../api/shown.ts';

export function Legend({ answers }: { answers: readonly Answer[] }): VNode {
  const filled = answers.some(({ low }) => low > 0);
  const open = answers.some(({ low }) => low <= 0);
  const truth = answers.some((answer) => answer.truth !== undefined);
  return (
    <p class="legend" aria-hidden="true">
      {filled && <Key mark="bar" text="estimate" />}
      {open && <Key mark="open" text="estimate that may be zero" />}
      <Key mark="whisker" text="95 % interval" />
      {truth && <Key mark="truth" text="true share of the reports (demo only)" />}
    </p>
  );
}

/** The legend of a chart of strings. */
export function StringsLegend({ found, others }: { found: readonly Answer[]; others: readonly Answer[] }): VNode {
  return (
    <p class="legend" aria-hidden="true">
      {found.length > 0 && <Key mark="bar" text="found" />}
      {found.length > 0 && <Key mark="whisker" text="95 % interval" />}
      {others.length > 0 && <Key mark="reach" text="not told apart from chance: at most this much" />}
      {[...found, ...others].some(({ truth }) => truth !== undefined) && <Key mark="truth" text="true share of the reports (demo only)" />}
    </p>
  );
}

function Key({ mark, text }: { mark: string; text: string }): VNode {
  return (
    <span class="key">
      <span class={`key-mark key-${mark}`} />
      {text}
    </span>
  );
}
