/** Clicks of an audit. */

import type { Page } from 'playwright-core';
import { UsageError } from '../../../base/fault.ts';
import type { Plan } from './plan.ts';

/** Clicks, or fills a field with a text. @throws {UsageError} if the page lacks it */
export async function touch(page: Page, selector: string, text: string, where: string): Promise<void> {
  const element = page.locator(selector).first();
  try {
    const kind = await element.evaluate((node) => {
      const { tagName, type = '' } = node as unknown as { readonly tagName: string; readonly type?: string };
      return `${tagName} ${type}`;
    });
    if (kind === 'INPUT checkbox' && /^(true|false)$/.test(text)) await element.setChecked(text === 'true');
    else if (kind.startsWith('SELECT')) await element.selectOption(text);
    else if (/^(TEXTAREA|INPUT (text|search|number|email|url|tel|range|)$)/.test(kind)) {
      await element.fill(text);
      await element.blur();
    } else await element.click();
  } catch (error) {
    throw new UsageError(`--plan: ${where}: expected an element to click, got: ${(error as Error).message.split('\n')[0]} ${selector}`);
  }
}

/** Records one answer to each metric of the plan: the chosen one of its list. */
export async function act(
  touches: (selector: string, text: string, where: string) => Promise<void>,
  { acts = {}, also = [] }: Plan,
  choose: (metric: string, answers: readonly string[]) => string | undefined,
): Promise<void> {
  for (const [metric, answers] of Object.entries(acts)) {
    const answer = choose(metric, Object.keys(answers));
    if (answer !== undefined) await touches(answers[answer] as string, answer, `acts.${metric}.${answer}`);
  }
  for (const selector of also) await touches(selector, '', 'also');
}

/** The first answer of each metric, and what is clicked after it. */
export const firstAnswers = ({ acts = {}, also = [] }: Plan): readonly (readonly [answer: string, selector: string])[] => [
  ...Object.values(acts).flatMap((answers) => Object.entries(answers).slice(0, 1)),
  ...also.map((each) => ['', each] as const),
];
