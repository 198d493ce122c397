/** Answers as plain data, and as people read them. */

/** An answer of a list. */
export type Answer = string | boolean;

/** An answer to a joint metric: one to each of its questions. */
export type JointAnswer = { readonly [question: string]: Answer };

/** An answer as people read it: of a joint one, what says something by itself, and yes or no with its question. */
export const labelOf = (answer: Answer | JointAnswer): string =>
  typeof answer === 'object'
    ? Object.entries(answer)
        .map(([question, value]) => (typeof value === 'string' ? value : `${question}: ${value}`))
        .join(', ')
    : String(answer);
