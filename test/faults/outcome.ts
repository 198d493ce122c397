/** The result of a fault run. */

/** The row of one fault. `failures` describes what went wrong, and is empty on success. */
export interface Outcome {
  readonly fault: string;
  /** What was done, with numbers. */
  readonly tried: string;
  /** What was observed. */
  readonly seen: string;
  readonly failures: readonly string[];
}

/** Collects failures: the first of each kind in words, the others as a count. */
export function failuresOf(): { readonly add: (kind: string, detail?: string) => void; readonly list: () => readonly string[] } {
  const kinds = new Map<string, { first: string; count: number }>();
  return {
    add: (kind, detail = '') => {
      const known = kinds.get(kind);
      if (known === undefined) kinds.set(kind, { first: detail, count: 1 });
      else known.count++;
    },
    list: () => [...kinds].map(([kind, { first, count }]) => `${kind}${first && ` (${first})`}${count > 1 ? `, ${count} times` : ''}`),
  };
}

/** Resolves after so many milliseconds. */
export const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resolves to true when the condition holds, and to false when it does not within this many milliseconds. */
export async function until(condition: () => boolean | Promise<boolean>, milliseconds: number): Promise<boolean> {
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(20)) if (await condition()) return true;
  return condition();
}
