/**
 * The tasks of a product team, on the demo: in how many clicks each is done, and what the page must then say. One walk for every hand: the
 * mouse and the keyboard of Chromium, and the clicks of engines that are driven without either.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { DARK, PLANS, type Platform, type Version } from '@murmuration/examples/demo/story';
import type { Page } from '../engines/engine.ts';

/** What a task needs of a browser. Elements are found by expressions in the page. */
export interface Hand extends Pick<Page, 'evaluate' | 'goto'> {
  /** Uses a link, a button or a choice: one click. */
  readonly use: (element: string) => Promise<void>;
  /** Types words into the search box, and Enter. */
  readonly search: (words: string) => Promise<void>;
}

/** Milliseconds after which an answer that does not come is wrong, and not slow. */
const PATIENCE = 120_000;

/** Waits until an expression has a value, which is not null. */
export async function waitFor<T>({ evaluate }: Pick<Hand, 'evaluate'>, expression: string): Promise<T> {
  for (const end = performance.now() + PATIENCE; performance.now() < end; await sleep(20)) {
    const found = await evaluate<T | null>(expression).catch(() => null); // between two documents there is none to ask
    if (found !== null && found !== undefined) return found;
  }
  const shown = await evaluate<string>('location.href + document.body.innerText').catch(String);
  throw new Error(`expected a value of ${expression}, got:\n${shown}`);
}

/** The elements of a kind that can be seen, as an expression. */
export const seen = (selector: string, within = 'document'): string =>
  `[...(${within}?.querySelectorAll(${JSON.stringify(selector)}) ?? [])].filter((each) => each.checkVisibility())`;

/** The first of some elements with a text that has this in it. */
export const having = (elements: string, text: string): string =>
  `${elements}.find((each) => each.textContent.includes(${JSON.stringify(text)}))`;

const link = (words: string): string => having(seen('a, button'), words);

/** An option of a choice. */
const option = (words: string, of: string): string =>
  `${seen('label', having(seen('fieldset'), of))}.find((each) => each.textContent === ${JSON.stringify(words)})`;

export const textOf = (element: string): string => `${element}?.textContent.trim() ?? null`;

/** The sentence of a page that has this in it. */
const said = (text: string): string => textOf(having(seen('.question-head'), text));

/** The answer in the row of a question, which is scrolled to: only what is on the screen, or near it, is asked for. */
async function answerInRow(hand: Hand, question: string): Promise<string> {
  const row = having(seen('.ask'), question);
  await waitFor(hand, `${row} ? (${row}.scrollIntoView({ block: 'center' }), 1) : null`);
  return waitFor(hand, textOf(`${row}?.querySelector('.ask-answer:has(.verdict)')`));
}

/** The ends of a range in words: `between 32.6 % and 36.6 %` -> 32.6 and 36.6 */
function rangeIn(text: string): readonly [low: number, high: number] {
  const [, low, high] = /between (\d+(?:\.\d+)?)[^\d]*? and (\d+(?:\.\d+)?)/.exec(text) ?? [];
  return [Number(low), Number(high)];
}

/** True if a range in words holds a share. */
const holds = (text: string, share: number): boolean => rangeIn(text)[0] <= 100 * share && 100 * share <= rangeIn(text)[1];

/** The share of dark mode with so many of each platform. They are the same in all versions. */
const darker = (of: Version, than: Version, platform: Platform): number => DARK[of][platform] - DARK[than][platform];

const DARK_MODE = 'Is dark mode on?';

export interface Task {
  readonly name: string;
  /** Clicks that it may take. */
  readonly clicks: number;
  /** Does it from the overview, and gives what the page then says. */
  readonly walk: (hand: Hand) => Promise<string>;
  readonly isTrue: (said: string) => boolean;
}

export const TASKS: readonly Task[] = [
  {
    name: 'what is broken today',
    clicks: 0,
    walk: async (hand) => {
      const items = `${seen('.look')}.filter((each) => each.getBoundingClientRect().bottom <= innerHeight)`;
      return waitFor(hand, `${items}.length === 0 ? null : ${items}.map((each) => each.textContent).join('\\n')`);
    },
    isTrue: (items) =>
      [
        /^Which parts .*almost no reports/,
        /^How long was .*average has jumped/,
        /^Which word .*cannot explain/,
        /^Was the trailer .*No report/,
      ].every((trouble) => items.split('\n').filter((item) => trouble.test(item)).length === 1) && items.split('\n').length === 4,
  },
  {
    name: 'which plan do most use, and how sure is that',
    clicks: 0,
    walk: (hand) => answerInRow(hand, 'Which plan?'),
    isTrue: (answer) => answer.startsWith('free leads') && holds(answer, PLANS.free),
  },
  {
    name: 'did 2.0 change dark mode',
    clicks: 3,
    walk: async (hand) => {
      await hand.use(link(DARK_MODE));
      await waitFor(hand, textOf(option('version', 'by')));
      await hand.use(option('version', 'by'));
      return waitFor(hand, said('compared with 1.9'));
    },
    isTrue: (sentence) => sentence.includes('yes is higher') && holds(sentence, darker('2.0', '1.9', 'desktop')),
  },
  {
    name: 'iOS against Android',
    clicks: 4,
    walk: async (hand) => {
      await hand.use(link(DARK_MODE));
      await waitFor(hand, textOf(option('platform', 'by')));
      await hand.use(option('platform', 'by'));
      return waitFor(hand, said('ios compared with android'));
    },
    isTrue: (sentence) => sentence.includes('yes is higher') && holds(sentence, DARK['1.9'].ios - DARK['1.9'].android),
  },
  {
    name: 'which words are looked up, and how far to trust that',
    clicks: 0,
    walk: (hand) => answerInRow(hand, 'Which word was looked up'),
    isTrue: (answer) => /you/.test(answer) && /at most 5.% of those found are not there/.test(answer),
  },
  {
    name: 'a question among all, by its words',
    clicks: 0,
    walk: async (hand) => {
      await hand.search('studio made');
      return waitFor(hand, said('Which studio made'));
    },
    isTrue: (head) => head.startsWith('Which studio made the film'),
  },
  {
    name: 'can we ask a question of 8 options at ± 1 point, and how long does it take',
    clicks: 1,
    walk: async (hand) => {
      await hand.use(link('Plan'));
      const sentence = await waitFor<string>(hand, said('± 1 point after'));
      return sentence + (await waitFor<string>(hand, textOf(having(seen('.card'), 'What it does to the budget'))));
    },
    isTrue: (answer) => /± 1 point after \d+ weeks, if [\d,]+ devices/.test(answer) && answer.includes('It fits.'),
  },
  {
    name: 'a slide',
    clicks: 2,
    walk: async (hand) => {
      await hand.use(link(DARK_MODE));
      await waitFor(hand, textOf(link('PNG')));
      await hand.use(link('PNG'));
      return waitFor(hand, textOf(having(seen('.tools-said'), 'saved')));
    },
    isTrue: (status) => status === 'The picture is saved.',
  },
  {
    name: 'a page for a colleague without a token',
    clicks: 2,
    walk: async (hand) => {
      await hand.use(link(DARK_MODE));
      await waitFor(hand, textOf(link('Public page')));
      await hand.use(link('Public page'));
      await waitFor(hand, `location.pathname.endsWith('/public/matinee/darkMode') || null`);
      return waitFor(hand, said('between'));
    },
    isTrue: (sentence) => sentence.includes(DARK_MODE) && rangeIn(sentence)[0] > 30 && rangeIn(sentence)[1] < 45,
  },
];

/** A task that was done. */
export interface Done {
  readonly name: string;
  readonly clicks: number;
  readonly said: string;
  /** Milliseconds until it was said, from the start of the page on. */
  readonly took: number;
}

/** Does the tasks, one after the other, each from the overview. */
export async function walk(
  hand: Hand,
  address: string,
  after: (done: Done) => Promise<void> = async () => undefined,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const task of TASKS) {
    let clicks = 0;
    const use = async (element: string): Promise<void> => {
      clicks++;
      await hand.use(element);
    };
    const began = performance.now();
    await hand.goto(address);
    const answer = await task.walk({ ...hand, use });
    const each = { name: task.name, clicks, said: answer.replaceAll('\u00a0', ' '), took: performance.now() - began };
    done.push(each);
    await after(each);
  }
  return done;
}

/** What is wrong with what was done: too many clicks, or words that are not true. */
export const wrongIn = (done: readonly Done[]): readonly Done[] =>
  done.filter(({ clicks, said: answer }, i) => clicks > (TASKS[i]?.clicks ?? 0) || !TASKS[i]?.isTrue(answer));
