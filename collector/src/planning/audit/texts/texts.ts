/** The texts that the privacy statement needs in each language. english.ts and german.ts have them. */

import type { Cadence, DocumentOf, Json, QuestionType } from '@murmuration/shared';

/** Answers of each type of question, as a person reads them. */
export type AnswerTexts = { readonly [T in QuestionType]: (metric: DocumentOf<T>) => string };

/** How long the stored answer of a permanent question is kept. */
export type Renewal = 'week' | 'month' | 'year' | 'never';

/** The texts. Factors and percentages come as `factor` and `percent` write them; `number` gives them the language's marks. */
export interface StatementTexts {
  readonly number: (text: string) => string;
  readonly title: (app: string, version: number) => string;
  readonly introduction: string;
  /** The example that gives a factor its meaning. */
  readonly coin: string;
  readonly assigned: string;

  readonly question: (often: string, answers: string) => string;
  readonly often: (every: Cadence) => string;
  readonly answers: AnswerTexts;
  readonly unlisted: string;
  readonly otherwise: (otherwise: Json) => string;
  readonly standIn: (otherwise: string) => string;
  readonly report: (times: string) => string;
  readonly guess: (before: string, most: string) => string;
  readonly longer: (year: string, life: string) => string;
  readonly permanent: (renew: Renewal, hasOtherwise: boolean, times: string) => string;
  readonly owner: (owner: string | undefined) => string;
  readonly expires: (day: string | undefined) => string;
  readonly published: string;

  readonly window: (days: number, times: string) => string;
  /** Because a device is asked no more than fits its budget. */
  readonly bounded: string;
  readonly recorded: (days: number, times: string) => string;
  readonly all: (year: string, life: string, versions: readonly number[]) => string;
  readonly inClear: (segments: string) => string;
  readonly batches: { readonly alone: string; readonly together: string };
  /** By whether a relay brings them. */
  readonly upload: { readonly direct: string; readonly relay: string };
  readonly installation: string;
  readonly activity: string;
}
