/**
 * The storage of a device that the SDK reads and writes, for ePrivacy 5(3). A browser test compares this list with what a page reads, creates
 * and stores (test/browser/web.test.ts).
 */

/** A place on the device. */
export interface StoredThing {
  readonly where: 'localStorage' | 'IndexedDB';
  /** The key, or the name of the database; in keys, `…` stands for what differs between metrics. */
  readonly name: string;
  /** True if it is looked for before the person has decided. Nothing is created then. */
  readonly isReadBefore: boolean;
  readonly holds: string;
  readonly until: string;
}

/** The places of an app in a browser, in the order in which they are described. */
export const storedBy = (app: string): readonly StoredThing[] => [
  {
    where: 'localStorage',
    name: `murmuration:${app}:consent`,
    isReadBefore: true,
    holds: 'the number of decisions so far, and the last one if it was a refusal',
    until: 'the site’s storage is erased',
  },
  {
    where: 'localStorage',
    name: `murmuration:${app}:spent`,
    isReadBefore: true,
    holds: 'the last day on which a report was made',
    until: 'the site’s storage is erased',
  },
  {
    where: 'localStorage',
    name: `murmuration:${app}:answer:…`,
    isReadBefore: true,
    holds: 'per question, the day of the last answer and, until it is claimed, the answer, already randomized',
    until: 'the randomized answer goes with its claim or with a refusal; the day stays until the site’s storage is erased',
  },
  {
    where: 'IndexedDB',
    name: 'murmuration',
    isReadBefore: true,
    holds:
      'the decision, the days and ε of past reports, randomized reports that wait to be sent, randomized answers that are kept (`permanent`), what was drawn by chance, questions that the collector has retired',
    until:
      'a waiting report goes when the collector has it, at the latest after 14 days; the rest stays until it is forgotten or the site’s storage is erased',
  },
  {
    where: 'IndexedDB',
    name: `murmuration:murmuration:${app}`,
    isReadBefore: true,
    holds: 'nothing: that this empty database exists is the note that the person agrees',
    until: 'the person refuses, or the site’s storage is erased',
  },
];
