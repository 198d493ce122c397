/** Answers as plain data, and their labels for people. */

/** An answer of a list. */
export type Answer = string | boolean;

/** An answer to a joint metric: one answer to each of its questions. */
export type JointAnswer = { readonly [question: string]: Answer };

/** The label of an answer. For a joint answer, texts appear on their own, and yes or no with the name of the question. */
export const labelOf = (answer: Answer | JointAnswer): string =>
  typeof answer === 'object'
    ? Object.entries(answer)
        .map(([question, value]) => (typeof value === 'string' ? value : `${question}: ${value}`))
        .join(', ')
    : String(answer);
