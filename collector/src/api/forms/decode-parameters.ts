/** The parameters of a decode, as a zod schema, and its answer. */

import { z } from 'zod';
import type { Page } from '../../answers/packed-answer.ts';
import { app, candidate, type Parameters, pageParameters, type RangeAsked, rangeParameters } from './parameters.ts';

/** The share of false strings among the found ones that is usual. */
const USUAL_FDR = '0.05';

/** What is asked of a decode. */
export interface DecodeAsked extends RangeAsked, Page {
  readonly app?: string | undefined;
  readonly candidate?: string | readonly string[] | undefined;
  readonly fdr: number;
  readonly all: boolean;
}

const error = 'a share above 0 and below 1, such as 0.05';

export const decodeParameters: Parameters<DecodeAsked> = z.strictObject({
  app,
  ...rangeParameters,
  candidate,
  fdr: z
    .string({ error })
    .regex(/^0?\.\d{1,9}$/, { error })
    .refine((text) => Number(text) > 0, { error })
    .default(USUAL_FDR)
    .transform(Number)
    .meta({ description: 'The false discovery rate: of the strings that are found, at most this share are not there, on average.' }),
  all: z
    .enum(['true', 'false'], { error: 'true or false' })
    .default('false')
    .transform((text) => text === 'true')
    .meta({ description: 'Whether candidates that are not told apart from chance are sent, too, after those that are.' }),
  ...pageParameters,
});
