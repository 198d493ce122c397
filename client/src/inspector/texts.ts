/** The inspector's texts, in English, for people who have never heard of ε. A page can pass translations. */

import type { Cadence, Permanence } from '@murmuration/shared';

/** Every text of the inspector. Numbers and days are passed as formatted text. */
export interface Texts {
  /** The language of numbers, days and lists, such as `en`, as in the `lang` attribute. */
  readonly language: string;
  readonly title: string;
  readonly introduction: string;
  /** Added if every report leaves doubt, and if one does not. */
  readonly unsure: string;
  readonly nearlySure: string;
  readonly close: string;

  /** The label of the switch. */
  readonly share: string;
  /** The meaning of the switch's state. */
  readonly unknown: string;
  readonly ask: string;
  readonly granted: string;
  /** Refused, by the person or by default. A text on what stays stored follows it. */
  readonly denied: string;
  readonly nothingStored: string;
  readonly decisionStored: string;
  readonly datesStored: string;
  /** For questions whose one randomized answer is stored. */
  readonly answerStored: (questions: string) => string;

  readonly asked: string;
  readonly often: Readonly<Record<Cadence, string>>;
  readonly again: (answered: string, next: string) => string;
  readonly last: (answered: string) => string;
  /** For a question that is not asked before a day. */
  readonly notBefore: (next: string) => string;
  readonly ended: string;
  /** For a question that is answered in the person's place: when its report is sent. */
  readonly due: (day: string) => string;
  /** For a question that is answered in the person's place. */
  readonly otherwise: (answer: string) => string;
  /** How often a report differs from the person's answer: `26` of `100` cases. */
  readonly other: (count: string, cases: string) => string;
  /** The same, if a report names several answers. */
  readonly without: (answers: string, count: string, cases: string) => string;
  /** The same, if reports name different numbers of answers. */
  readonly several: (count: string, cases: string) => string;
  /** If a report names no answers. */
  readonly noise: string;
  /** Beside a report that names one answer: why it may be another than the person's. */
  readonly why: (count: string, cases: string) => string;
  /** The same, if it names several answers. */
  readonly whySeveral: (count: string, cases: string) => string;
  readonly atMost: (times: string) => string;
  /** The same, for all questions. */
  readonly eachAtMost: (times: string) => string;
  /** For a question that is asked repeatedly: all reports are made from one answer, which is stored for this long. */
  readonly together: (times: string, renew: Permanence['renew']) => string;

  /** An answer or a question in quotation marks. */
  readonly quote: (text: string) => string;
  readonly yes: string;
  readonly no: string;
  readonly below: (number: string) => string;
  readonly between: (low: string, high: string) => string;
  readonly from: (number: string) => string;

  /** Above an answer that a person tries, to see what would have been sent. */
  readonly try: string;
  readonly trying: string;
  readonly yourAnswer: string;
  readonly flip: string;
  /** How many of the reports that were tried do not name the answer. */
  readonly tried: (count: string, tries: string) => string;
  /** If there is no source of randomness. */
  readonly untried: string;

  readonly waiting: string;
  readonly nothing: string;
  /** Sentence about data that is sent without any change, `segments` with their values included; empty if there are none. */
  readonly clear: (segments: string) => string;
  /** If a batch may hold several reports. */
  readonly batched: string;
  /** This device's segments. */
  readonly segments: (segments: string) => string;
  /** For a batch that may not be sent before a day. */
  readonly waits: (day: string) => string;
  readonly bytes: (count: string, url: string) => string;

  readonly sent: string;
  readonly nothingSent: string;
  /** For an empty list, although something may have been sent. */
  readonly nothingListed: string;
  /** If the app keeps no history. */
  readonly noHistory: string;
  /** Sentence about a report, by the answers that it names. */
  readonly says: (answers: string) => string;
  readonly saysNothing: string;
  readonly others: (count: string) => string;

  readonly details: string;
  /** Explanation of ε. */
  readonly epsilon: string;
  readonly budget: string;
  readonly spent: (spent: string, budget: string, days: string) => string;
  readonly all: (days: string, times: string) => string;
  readonly year: (epsilon: string) => string;
  readonly question: (epsilon: string, spent: string) => string;
  readonly permanent: (epsilon: string) => string;

  readonly erasing: string;
  readonly erase: string;
  readonly confirm: string;
  readonly eraseNow: string;
  readonly cancel: string;
}

export const english: Texts = {
  language: 'en',
  title: 'What this app asks, and what it sends',
  introduction: 'Your answer is changed at random before it leaves this device.',
  unsure:
    'So nobody who sees one report, not even the makers of this app, can be sure what you said. Several reports leave less doubt. The reports of many people together show how many give each answer.',
  nearlySure: 'But for some of these questions that is rare, and a report nearly always says what you said.',
  close: 'Close',

  share: 'Share randomized answers',
  unknown: 'Reading what this device has stored.',
  ask: 'Off. You have not decided yet. Until you do, nothing is stored and nothing is sent.',
  granted: 'On. Answers leave this device only after they have been changed at random.',
  denied: 'Off. Nothing is sent.',
  nothingStored: 'Nothing is stored.',
  decisionStored: 'What waited to be sent has been erased. This device keeps your decision.',
  datesStored: 'What waited to be sent has been erased. This device keeps your decision, and the dates until which nothing is asked again.',
  answerStored: (questions) => `It also keeps one answer to ${questions}, which was changed at random when you gave it.`,

  asked: 'What is asked',
  often: {
    once: 'Asked once.',
    day: 'Asked every day.',
    week: 'Asked every week.',
    month: 'Asked every month.',
    year: 'Asked every year.',
  },
  again: (answered, next) => `Answered on ${answered}. It is asked again from ${next}.`,
  last: (answered) => `Answered on ${answered}. It is not asked again.`,
  notBefore: (next) => `It is not asked before ${next}.`,
  ended: 'This question has ended.',
  due: (day) => `Its report is sent on ${day} or later, whether you answer or not.`,
  otherwise: (answer) =>
    `If you do not answer, “${answer}” is sent in your place, changed at random as well. So a report does not show that you answered.`,
  other: (count, cases) => `In ${count} of ${cases} cases the report says something other than your answer.`,
  without: (answers, count, cases) => `A report names ${answers} answers. In ${count} of ${cases} cases, yours is not among them.`,
  several: (count, cases) => `A report names several answers. In ${count} of ${cases} cases, yours is not among them.`,
  noise: 'Random noise is mixed into every report.',
  why: (count, cases) => `It may not be your answer: it is changed by chance in ${count} of ${cases} cases.`,
  whySeveral: (count, cases) => `Yours may not be among them: by chance, that happens in ${count} of ${cases} cases.`,
  atMost: (times) => `Anyone who sees it can be at most ${times} times more confident in one answer over another.`,
  eachAtMost: (times) => `Anyone who sees a report can be at most ${times} times more confident in one answer over another.`,
  together: (times, renew) =>
    renew === 'never'
      ? `Anyone who sees all its reports can be at most ${times} times more confident.`
      : `Your changed answer is kept for a ${renew}, and the reports of that time repeat it: anyone who sees them all can be at most ${times} times more confident.`,

  quote: (text) => `“${text}”`,
  yes: 'yes',
  no: 'no',
  below: (number) => `less than ${number}`,
  between: (low, high) => `${low} to ${high}`,
  from: (number) => `${number} or more`,

  try: 'Try it: what would have been sent?',
  trying: 'This flips the same coins as a real report. Nothing is recorded, stored or sent.',
  yourAnswer: 'Your answer',
  flip: 'Flip the coins',
  tried: (count, tries) => `${count} of ${tries} ${tries === '1' ? 'try' : 'tries'} did not name this answer.`,
  untried: 'This device has no source of random numbers, so nothing would have been sent.',

  waiting: 'What will be sent next',
  nothing: 'Nothing is waiting to be sent.',
  clear: (segments) =>
    `Sent as it is, with every report: the name and version of these questions, which of them it is about, a day, a random number${segments ? `, and the group that this device belongs to: ${segments}` : ''}. Anyone who receives it also sees the address of this connection and what the browser says of itself, as with every page.`,
  batched: 'Reports that are sent together are known to come from one device.',
  segments: (segments) => `The group of this device goes with them as it is: ${segments}.`,
  waits: (day) => `Waits until ${day} or later.`,
  bytes: (count, url) => `Show the exact ${count} bytes, which go to ${url}`,

  sent: 'What was sent',
  nothingSent: 'Nothing has been sent yet.',
  nothingListed: 'The list is empty. It holds what has been delivered since sharing was turned on.',
  noHistory: 'This app keeps no list of what it has sent. The dates above are all that is remembered.',
  says: (answers) => `The report says ${answers}.`,
  saysNothing: 'The report is noise that says nothing on its own.',
  others: (count) => `${count} others`,

  details: 'Details',
  epsilon:
    'ε (epsilon) measures how much a report can give away. It changes the odds between any two answers by a factor of at most e to the power of ε. Every report spends some of a budget; when that is spent, nothing more is asked.',
  budget: 'Budget',
  spent: (spent, budget, days) => `ε\u00a0${spent} of ${budget} is spent, in any ${days === '1' ? 'day' : `${days} days`}.`,
  all: (days, times) =>
    `Everything that is sent in any ${days === '1' ? 'day' : `${days} days`} changes the odds between any two sets of answers by at most ${times} times.`,
  year: (epsilon) => `A year of answering everything adds up to ε\u00a0${epsilon} at most.`,
  question: (epsilon, spent) => `ε\u00a0${epsilon} a report, ${spent} spent now`,
  permanent: (epsilon) => `; all reports from one answer together ε\u00a0${epsilon}`,

  erasing: 'Erase',
  erase: 'Erase what is stored',
  confirm:
    'This erases what is stored about your answers, and turns sharing off. Your decision and the dates until which nothing is asked again stay. What was sent cannot be taken back.',
  eraseNow: 'Erase now',
  cancel: 'Cancel',
};
