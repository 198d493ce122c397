/** The routes of annotations: their forms, and their OpenAPI description. */

import { parseDay } from '@murmuration/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { exactly } from '../forms/answer-parts.ts';
import { appParameters } from '../forms/parameters.ts';
import { json, refused, responsesOf } from './responses.ts';

/** Bytes of a body, at most. */
export const MOST_ANNOTATED = 4_096;

/** An annotation that is to be written. */
export interface NewAnnotation {
  readonly app: string;
  readonly metric?: string;
  readonly day: string;
  readonly text: string;
}

/** An annotation as readers see it. Its text may be anybody's. */
export interface ShownAnnotation extends NewAnnotation {
  /** `version`: a version of the app that arrived, seen in the reports. `note`: written by somebody. */
  readonly kind: 'note' | 'version';
  /** Of a note. */
  readonly n?: number;
}

const about = {
  app: z.string(),
  metric: z.string().exactOptional().meta({ description: 'The metric that it is about. Absent: all of the app.' }),
  day: z.iso.date({ error: 'a day such as 2026-11-20' }).refine((text) => parseDay(text) !== undefined, { error: 'a day from 1970 on' }),
  text: z.string().meta({ description: 'One line of up to 200 characters.' }),
};

export const annotationForm: z.ZodType<NewAnnotation> = exactly(z.strictObject(about));

const shown: z.ZodType<ShownAnnotation> = exactly(
  z
    .strictObject({
      kind: z.enum(['note', 'version']).meta({
        description:
          'note: written by somebody. version: the first day on which a version, by the segment `version`, has 5 % of the reports.',
      }),
      n: z.int().min(1).exactOptional().meta({ description: 'The number of a note.' }),
      ...about,
    })
    .meta({ id: 'Annotation' }),
);

const changed = responsesOf(shown, ['400', '403', '503', '507']);

export const annotationsPaths: ZodOpenApiPathsObject = {
  '/v1/annotations': {
    get: {
      operationId: 'annotations',
      summary: 'What was written on days of an app, and the days on which its versions arrived',
      description: 'Newest days last. A version needs 20 reports and 5 % of a day’s; one that was there in the first week has no day.',
      requestParams: { query: appParameters },
      responses: responsesOf(z.strictObject({ annotations: z.array(shown) }), ['400', '403', '503']),
    },
    post: {
      operationId: 'annotate',
      summary: 'Writes a line on a day of an app, or of one of its metrics',
      description: 'An app has at most 1,000. For reviewers and admins.',
      requestBody: { description: `At most ${MOST_ANNOTATED} bytes.`, required: true, content: json(annotationForm) },
      responses: {
        ...changed,
        '400': refused('The body is not of this form, or the app has too many.'),
        '404': refused('There is no such app or metric.'),
        '413': refused('The body is too large.'),
        '415': refused('The content is not application/json.'),
      },
    },
  },
  '/v1/annotations/{n}': {
    delete: {
      operationId: 'removeAnnotation',
      summary: 'Removes what was written',
      description: 'For reviewers and admins.',
      requestParams: { path: z.object({ n: z.string().meta({ description: 'Its number.', example: '12' }) }) },
      responses: { ...changed, '404': refused('There is no annotation with this number.') },
    },
  },
};
