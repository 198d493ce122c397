/** The privacy statement in English. */

import { bucketLabels, isListPart, PERIOD_DAYS } from '@murmuration/shared';
import { shortfallOf } from '../../../estimation/questions.ts';
import { otherwiseInWords } from '../../../schemas/compare.ts';
import type { Renewal, StatementTexts } from './texts.ts';

const SHOWN = 6; // the number of answers that are listed

const listed = (answers: readonly string[]): string =>
  answers.length <= SHOWN ? answers.join(', ') : `one of a list of ${answers.length}`;

const ANY_TEXT = 'any text, of which only randomized bits of a hash leave the device';

const REPEATED: { readonly [renew in Renewal]: string } = {
  week: 'kept for one week',
  month: 'kept for one month',
  year: 'kept for one year',
  never: 'kept',
};

export const english: StatementTexts = {
  number: (text) => text,
  title: (app, version) => `What ${app} asks, and what its reports give away (version ${version})`,
  introduction:
    'Every answer is randomized on the device before it is stored or sent: a report may say the true answer or another, by chance. How much a report still tells is stated for each question. From many reports the collector estimates which share of them stands for each answer.',
  coin: 'That is stated as a number of times. An example with a coin: you are asked for a yes or no, and toss a coin. With heads you tell the truth. With tails you toss again, and say yes for heads and no for tails. A “yes” then comes from 3 of 4 people whose true answer is yes, and from 1 of 4 whose true answer is no. So whoever hears it can be 3 times more confident in yes over no than before, and can’t be sure. 1.0 times would tell nothing. 100 times tells nearly everything: one of two answers that were equally likely before is then known with 99 %. 10^20 is a 1 with 20 zeros.',
  assigned: 'Each device is asked only some of these questions, chosen by chance and never by an answer: as many as fit its budget.',

  question: (often, answers) => `Asked ${often}. Answers: ${answers}.`,
  often: (every) => (every === 'once' ? 'once' : every === 'day' ? 'at most once a day' : `at most once in ${PERIOD_DAYS[every]} days`),
  answers: {
    flag: () => 'yes or no',
    choice: ({ answers }) => listed(answers),
    choices: ({ atMost, answers }) => `up to ${atMost} of these, drawn at random where there are more: ${listed(answers)}`,
    best: (metric) =>
      `one of the options ${listed(metric.options)}, drawn at random, the likelier the better it suits which of ${metric.inputs.length} kinds holds; nineteen times in twenty its score is at most ${shortfallOf(metric, 0.05)} below the best`,
    joint: ({ questions }) =>
      questions.map((part) => `${part.name} (${isListPart(part) ? `one of ${part.answers.length}` : ANY_TEXT})`).join(' together with '),
    histogram: ({ edges }) => `the range in which a number lies: ${listed(bucketLabels(edges))}`,
    text: () => ANY_TEXT,
    discover: ({ longest }) =>
      `any text, of which the first ${longest} bytes count; only a randomized hash of its beginning leaves the device`,
    mean: ({ range: [low, high] }) => `a number from ${low} to ${high}; the collector estimates the mean over many reports`,
    count: ({ max }) => `a count from 0 to ${max}; the collector estimates the mean over many reports`,
    distribution: ({ range: [low, high], cells }) => `a number from ${low} to ${high}, in one of ${cells} parts of that range`,
  },
  unlisted: 'An answer that is not listed sends nothing, so a report reveals by its presence that the answer was listed.',
  otherwise: otherwiseInWords,
  standIn: (otherwise) =>
    `If you do not answer, this is reported in your place, randomized as an answer is: ${otherwise}. So a report does not reveal by its presence that you answered; what it says may, within the bound below.`,
  report: (times) => `Anyone who sees a report can be at most ${times} times more confident in one answer over another.`,
  guess: (before, most) =>
    `Where all answers were equally likely before (${before} each), one of them is then the true one with a probability of at most ${most}.`,
  longer: (year, life) => `All reports of any 365 days together: ${year} times at most; of any 3,650 days: ${life} times.`,
  permanent: (renew, hasOtherwise, times) =>
    `${hasOtherwise ? 'The first answer, or what is reported in its place,' : 'The first answer'} is randomized once and ${REPEATED[renew]}; later reports only repeat it, randomized again. ${renew === 'never' ? 'All reports ever on one version of the question together' : 'All reports that repeat one kept answer together'}: ${times} times at most.`,
  owner: (owner) => (owner === undefined ? 'Nobody is named as its owner.' : `Asked by: ${owner}.`),
  expires: (day) => (day === undefined ? 'No day is set on which it ends.' : `Needed until ${day}.`),
  published: 'Anybody may see the estimates.',

  window: (days, times) =>
    `Anyone who sees everything that one installation sends for the slots that begin ${days === 1 ? 'on any one day' : `in any ${days} consecutive days`} can be at most ${times} times more confident in one set of answers over another.`,
  bounded: 'That is its budget: it is asked no more than fits.',
  recorded: (days, times) =>
    `A slot is a question's time to answer, and it may begin on another day than that on which you answer, so the answers of ${days === 1 ? 'one day' : `${days} days`} can fall into one slot more of a question: those of the last day of one slot and of the first day of the next are two reports. Counted by days of answering, it is at most ${times} times.`,
  all: (year, life, versions) =>
    `All questions together: at most ${year} times for the slots that begin in any 365 days, and ${life} times in any 3,650 days${versions.length === 0 ? '' : `, version${versions.length > 1 ? 's' : ''} ${versions.join(', ')} before this one included`}.`,
  inClear: (segments) =>
    `Sent as it is, with every batch: the name and the version of these questions and a checksum of them, a random number of its own, the names of the questions that are answered, a day, that on which the time to answer began or a later one${segments && `, and ${segments}`}.`,
  batches: {
    alone: 'Each report is a batch of its own.',
    together: 'The reports of one batch arrive together, and are known to be of one device.',
  },
  upload: {
    direct:
      'The upload also shows the public key of the app and, as every connection does, the address of the device and what its browser or system says of itself, such as a version and a language. Nothing in a batch names the person or the device.',
    relay:
      "The upload goes through a relay. The relay sees the address of the device, as every connection shows it, and can't read the report. Those who read the report see neither the address nor what the browser or system says of itself, only the public key of the app. If the two work together, they know both. Nothing in a batch names the person or the device.",
  },
  installation:
    'An installation is one life of the storage that one origin (in an app: one device) keeps for one app name. Another browser, profile or device, a renamed app, and a storage that was erased are other installations: each has this budget for itself, and asks again.',
  activity:
    'Equal activity is assumed of any two sets of answers that are compared here: when the app runs, which metrics without `otherwise` are recorded, whether the answer was listed. That is visible, and so is that an installation reports at all. Also not covered: several installations of one person; a device whose clock is set forward, which opens slots before their time.',
};
