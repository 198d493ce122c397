/** What the inspector says, in English; a page brings other words for other languages. */

import type { Cadence } from '@murmuration/shared';

/** Every text of the inspector. */
export interface Words {
  readonly title: string;
  readonly introduction: string;
  readonly close: string;
  /** Of the switch, and what its state means. */
  readonly share: string;
  readonly on: string;
  readonly off: string;
  readonly granted: string;
  readonly denied: string;
  readonly ask: string;
  readonly budget: string;
  readonly spent: (spent: string, budget: string, days: number) => string;
  readonly year: (epsilon: string) => string;
  readonly asked: string;
  /** Of one question: ε of a report, how often it is asked, and what is spent on it in this window. */
  readonly question: (epsilon: string, every: Cadence, spent: string) => string;
  readonly permanent: (epsilon: string) => string;
  /** Of a question that is answered for who does not answer. */
  readonly otherwise: (answer: string) => string;
  readonly open: string;
  readonly again: (day: string) => string;
  readonly never: string;
  readonly waiting: string;
  readonly nothing: string;
  /** Of a batch that may not be sent before a day. */
  readonly waits: (day: string) => string;
  readonly bytes: (count: number, url: string) => string;
  readonly erasing: string;
  readonly tombstone: string;
  readonly forget: string;
}

export const english: Words = {
  title: 'What this app asks, and what it sends',
  introduction:
    'Chance scrambles every answer on this device before it is stored or sent, so no report says for certain what yours was. ε says how much it may say: the less, the less.',
  close: 'Close',
  share: 'Share randomized answers',
  on: 'On',
  off: 'Off',
  granted: 'You share. Randomized answers leave this device.',
  denied: 'You do not share. Nothing is stored and nothing is sent.',
  ask: 'You have not decided. Until you do, nothing is stored and nothing is sent.',
  budget: 'Spent',
  spent: (spent, budget, days) => `ε\u00a0${spent} of ${budget} in any ${days === 1 ? 'day' : `${days} days`}`,
  year: (epsilon) => `A year of answering everything adds up to ε\u00a0${epsilon} at most.`,
  asked: 'What is asked',
  question: (epsilon, every, spent) => `ε\u00a0${epsilon} a report, once${every === 'once' ? '' : ` a ${every}`}; ${spent} spent now`,
  permanent: (epsilon) => `; all reports of one answer together ε\u00a0${epsilon}`,
  otherwise: (answer) => `Where nothing is answered, “${answer}” is reported, so that a report does not show that there was an answer.`,
  open: 'Can be answered now.',
  again: (day) => `Answered; the next answer from ${day}.`,
  never: 'Answered; it is asked only once.',
  waiting: 'What will be sent next',
  nothing: 'Nothing waits to be sent.',
  waits: (day) => `Waits for ${day} or later.`,
  bytes: (count, url) => `The very bytes: ${count} to ${url}`,
  erasing: 'Erase',
  tombstone: 'Turns this off, and erases all that is stored but one note: that nothing may be asked until the budget is new.',
  forget: 'Erase everything',
};
