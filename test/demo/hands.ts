/** Hands that do the tasks: the mouse and the keyboard of Chromium, and the clicks of engines that are driven by expressions alone. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Page as ChromiumPage } from 'playwright-core';
import type { Page } from '../engines/engine.ts';
import { type Hand, having, seen, textOf, waitFor } from './tasks.ts';

/** Where an element can be clicked: the middle of the part that is on the screen, if nothing lies above it. */
const PLACE = `(element) => {
  element.scrollIntoView({ block: 'center' });
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [x, y] = [(Math.max(0, left) + Math.min(innerWidth, right)) / 2, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2];
  const hit = document.elementFromPoint(x, y);
  return hit !== null && (element.contains(hit) || hit.contains(element)) ? { x, y } : null;
}`;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Milliseconds for which an element has to stay where it is before it is clicked: what is above it may still come. */
const STILL = 150;

/** Where the element of an expression can be clicked. */
async function placeOf(page: Pick<Hand, 'evaluate'>, element: string): Promise<Place> {
  const find = (): Promise<Place> => waitFor(page, `((element) => (element ? (${PLACE})(element) : null))(${element})`);
  for (let before = await find(); ; ) {
    await sleep(STILL);
    const now = await find();
    if (now.x === before.x && now.y === before.y) return now;
    before = now;
  }
}

/** The overview when it can be searched, and when one question is found. */
const READY = `document.querySelector('.search input') && document.querySelector('.ask') ? 1 : null`;
const FOUND = textOf(having(seen('.holds'), '1 of'));

/** A hand for engines that are driven by expressions alone. It clicks what a person would hit. */
export const scripted = ({ evaluate, goto }: Page): Hand => ({
  evaluate,
  goto,
  use: async (element) => {
    await placeOf({ evaluate }, element);
    // In one step: what comes above the element may move it between two.
    const click = `({ x, y }) => (document.elementFromPoint(x, y).click(), 1)`;
    await waitFor({ evaluate }, `((place) => (place ? (${click})(place) : null))((${PLACE})(${element}))`);
  },
  search: async (words) => {
    await waitFor({ evaluate }, READY);
    await evaluate(`document.querySelector('.search input').focus()`);
    await evaluate(`document.execCommand('insertText', false, ${JSON.stringify(words)})`);
    await waitFor({ evaluate }, FOUND);
    await evaluate(`document.querySelector('.search form').requestSubmit()`);
  },
});

const pageOf = (page: ChromiumPage): Pick<Hand, 'evaluate' | 'goto'> => ({
  evaluate: <T>(expression: string) => page.evaluate<T>(expression),
  goto: async (url) => void (await page.goto(url)),
});

/** Finds one question by the search box and its key. */
async function searchIn(page: ChromiumPage, words: string): Promise<void> {
  await waitFor(pageOf(page), READY);
  // A page that has just been drawn may not hear the key yet.
  while (!(await page.evaluate(`document.activeElement.matches('.search input')`))) await page.keyboard.press('/');
  await page.keyboard.type(words);
  await waitFor(pageOf(page), FOUND);
  await page.keyboard.press('Enter');
}

/** A mouse. */
export const byMouse = (page: ChromiumPage): Hand => ({
  ...pageOf(page),
  use: async (element) => {
    for (let isClicked = false; !isClicked; ) {
      await waitFor(pageOf(page), textOf(element));
      const found = (await page.evaluateHandle<HTMLElement>(element)).asElement();
      // It may be drawn again, or move, before the click arrives.
      isClicked =
        found !== null &&
        (await found.click().then(
          () => true,
          () => false,
        ));
    }
  },
  search: (words) => searchIn(page, words),
});

/** Keys until something has the focus, at most. */
const MOST_KEYS = 60;

/** `there` where the element has the focus, `beside` where another choice of its group has, null elsewhere. */
const FOCUS = `(element) => {
  const held = document.activeElement;
  const radio = element.matches('label') ? element.querySelector('input[type=radio]') : null;
  if (held === (radio ?? element)) return 'there';
  return radio !== null && held?.closest('fieldset') === radio.closest('fieldset') ? 'beside' : null;
}`;

/** A keyboard alone: Tab to what is wanted, the arrows to a choice of a group, Enter on everything else. */
export const byKeys = (page: ChromiumPage): Hand => ({
  ...pageOf(page),
  use: async (element) => {
    await waitFor(pageOf(page), textOf(element));
    const focus = (): Promise<'there' | 'beside' | null> => page.evaluate(`(${FOCUS})(${element})`);
    let before: Awaited<ReturnType<typeof focus>> = null;
    for (let keys = 0; keys < MOST_KEYS; keys++) {
      const now = await focus();
      if (now === 'there') return before === 'beside' ? undefined : page.keyboard.press('Enter'); // an arrow has chosen it already
      await page.keyboard.press(now === 'beside' ? 'ArrowRight' : 'Tab');
      before = now;
    }
    throw new Error(`expected to reach ${element} by keyboard`);
  },
  search: (words) => searchIn(page, words),
});
