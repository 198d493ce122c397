/** Annotations: what people write on the days of an app, such as "campaign in Germany", to be seen beside its estimates. */

import type { DatabaseSync } from 'node:sqlite';
import { dayText } from '@murmuration/shared';
import { transaction } from '../files/database.ts';
import { checkName } from './credentials.ts';
import { logAction } from './database.ts';

/** An annotation. */
export interface Annotation {
  /** The number of the action that wrote it, so no other annotation ever has the same. */
  readonly n: number;
  readonly app: string;
  /** The metric that it is about; absent where it is about all of the app. */
  readonly metric?: string;
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly text: string;
}

/** Characters of a text, and annotations of an app, at most. */
const MOST_CHARACTERS = 200;
const MOST_OF_APP = 1_000;

/** Controls, separators of lines, and marks that turn the direction of whatever is written behind the text. */
const UNFIT = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** Every annotation, by day. */
export const listAnnotations = (database: DatabaseSync): readonly Annotation[] =>
  database
    .prepare('SELECT n, app, metric, day, text FROM annotation ORDER BY day, n')
    .all()
    .map(({ metric, ...row }) => ({ ...(row as unknown as Annotation), ...(metric !== null && { metric: metric as string }) }));

/** Words for the place of an annotation in the log. */
const placeOf = ({ app, metric, day }: Omit<Annotation, 'n' | 'text'>): string =>
  `${dayText(day)} of ${metric === undefined ? app : `${app}/${metric}`}`;

/** Adds an annotation. @throws {RangeError} when the text or a name is not valid, or the app has too many */
export function addAnnotation(database: DatabaseSync, who: string, { text: written, ...about }: Omit<Annotation, 'n'>): Annotation {
  const text = written.trim();
  if (text === '' || text.length > MOST_CHARACTERS || UNFIT.test(text) || !text.isWellFormed())
    throw new RangeError(`text: expected 1 to ${MOST_CHARACTERS} characters in one line, got ${JSON.stringify(text.slice(0, 80))}`);
  const { app, metric, day } = about;
  checkName('app', app);
  if (metric !== undefined) checkName('metric', metric);
  const n = transaction(database, () => {
    const { others } = database.prepare('SELECT count(*) AS others FROM annotation WHERE app = ?').get(app) ?? {};
    if (Number(others) >= MOST_OF_APP) throw new RangeError(`app: expected one with fewer than ${MOST_OF_APP} annotations, got ${app}`);
    const logged = logAction(database, who, `annotated ${placeOf(about)}: ${text}`, app);
    const insert = database.prepare('INSERT INTO annotation (n, app, metric, day, text) VALUES (?, ?, ?, ?, ?)');
    insert.run(logged, app, metric ?? null, day, text);
    return logged;
  });
  return { n, ...about, text };
}

/** Removes an annotation. @throws {RangeError} when there is none with the number */
export const removeAnnotation = (database: DatabaseSync, who: string, n: number): Annotation =>
  transaction(database, () => {
    const found = listAnnotations(database).find((each) => each.n === n);
    if (found === undefined) throw new RangeError(`number: expected that of an annotation, got ${n}`);
    database.prepare('DELETE FROM annotation WHERE n = ?').run(n);
    logAction(database, who, `removed the annotation of ${placeOf(found)}: ${found.text}`, found.app);
    return found;
  });
