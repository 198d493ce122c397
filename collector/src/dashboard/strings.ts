// The strings of a decode as the dashboard draws them: the found ones, then those that are not told apart from chance.
// A found string is shown by the middle of what it can be, since its unbiased estimate is too large for having been chosen.

import type { Answer, Estimate, Strings } from '../api/shown.ts';

interface ShownString extends Answer {
  /** Set where it may go on. */
  readonly isCut?: true;
}

/** What is drawn. */
export interface ShownStrings {
  readonly found: readonly ShownString[];
  readonly others: readonly ShownString[];
  /** What none of the found strings explains; undefined where nothing can be said. */
  readonly rest: Estimate | undefined;
}

export function shownOf({ strings, unexplained }: Strings): ShownStrings {
  const rows = strings.map(({ typical, ...string }) => ({ ...string, estimate: typical }));
  return { found: rows.filter(({ isFound }) => isFound), others: rows.filter(({ isFound }) => !isFound), rest: unexplained };
}
