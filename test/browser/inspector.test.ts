/** The inspector in a real Chromium: what it says, what it turns off and what it erases. */

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Visit, visiting } from './inspector-site.ts';

let visit: Visit;
let page: Page;
const { click, share, says, bytes } = visiting((opened) => {
  visit = opened;
  ({ page } = visit);
});
/** The state in IndexedDB. */
const stored = (): Promise<{ readonly accounts: { readonly [metric: string]: object }; readonly outbox: readonly unknown[] }> =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open('murmuration');
        request.onerror = reject;
        request.onsuccess = () => {
          const get = request.result.transaction('items').objectStore('items').get('murmuration:notes');
          get.onsuccess = () => {
            request.result.close();
            resolve(JSON.parse(String(get.result).replace(/^[^{]*/, '')));
          };
        };
      }),
  );
const history = (): Promise<string | null> => page.evaluate(() => localStorage.getItem('murmuration:notes:sent'));

test('says in whole sentences what is asked, how likely a report is not what was said, and what was sent', async () => {
  await click('Privacy');
  await says('You have not decided yet.');
  for (const asked of ['Is dark mode on?', 'Which plan?', 'Home page']) await says(asked);
  await says('Anyone who sees a report can be at most 2.8 times more confident in one answer over another.');
  await says('In 26 of 100 cases the report says something other than your answer.'); // 1 / (1 + e)
  await says('In 42 of 100 cases'); // 2 / (2 + e)
  await says(
    'Your changed answer is kept for a year, and the reports of that time repeat it: anyone who sees them all can be at most 55 times',
  ); // e^4
  await says('can be sure what you said.');
  await says('Nothing is waiting to be sent.');
  await says('Nothing has been sent yet.');
  expect(await share().getAttribute('aria-checked')).toBe('false');
  expect(await page.getByRole('button', { name: 'Erase what is stored' }).count()).toBe(0);

  await share().click();
  await says('On. Answers leave this device only after they have been changed at random.');
  await click('Answer');
  await says(/Asked once\. Answered on \w+ \d+, \d{4}\. It is not asked again\./);
  await says(/Asked every month\. Answered on \w+ \d+, \d{4}\. It is asked again from \w+ \d+, \d{4}\./);
  await says(/^The report says “(yes|no)”\.$/);
  await says(/^The report says “(free|pro|team)”\.$/);
  await bytes().click();
  const shown = await page.locator('pre').textContent();
  expect(shown).not.toContain('zephyrous');
  await click('Send');
  await says('Nothing is waiting to be sent.');
  expect(visit.sent).toEqual([shown]);
  await says(/^The report says “(free|pro|team)”\.$/);
  expect(await page.getByText('The report is noise that says nothing on its own.').count()).toBe(1);
  expect(await history()).not.toContain('zephyrous');

  await page.reload(); // what was sent is still shown
  await click('Privacy');
  await says(/^The report says “(free|pro|team)”\.$/);
});

test('says ε, the budget and a year under Details alone', async () => {
  await click('Privacy');
  await share().click();
  await page.getByText('Details', { exact: true }).click();
  await says('ε\u00a00 of 6 is spent, in any 30 days.'); // and not -0
  await says('ε\u00a01 a report, 0 spent now');
  await page.getByText('Details', { exact: true }).click();
  await click('Answer');
  await says('Answered on');
  expect(
    await page
      .locator('murmuration-inspector')
      .evaluate((host) => (host as HTMLElement).shadowRoot?.querySelector('details.all')?.hasAttribute('open')),
  ).toBe(false);
  expect(await page.getByText(/ε/).filter({ visible: true }).count()).toBe(0);
  await page.getByText('Details', { exact: true }).click();
  await says('ε\u00a06 of 6 is spent, in any 30 days.');
  await says('A year of answering everything adds up to ε\u00a022 at most.'); // 13 x 1, 1, and two epochs of 4
  await says('ε\u00a01 a report, 4 spent now; all reports from one answer together ε\u00a04');
  await says('by at most 410 times.'); // e^6
});

test('answers of every type are words and numbers that people read', async () => {
  await page.goto(new URL('/?many', page.url()).href);
  await click('Privacy');
  await share().click();
  await click('Answer');
  await says(
    'a random number, and the group that this device belongs to: platform (web or ios). Anyone who receives it also sees the address of this connection',
  );
  await says('Reports that are sent together are known to come from one device.');
  await says('A report names 3 answers. In 46 of 100 cases, yours is not among them.');
  await says(/^The report says “(less than 100\u00a0ms|100\u00a0ms to 300\u00a0ms|300\u00a0ms to 1,000\u00a0ms|1,000\u00a0ms or more)”\.$/);
  await says(/^The report says “(free|pro), dark: (yes|no)”\.$/);
  await says(/^The report says “[A-Z]{2}”, “[A-Z]{2}”, or “[A-Z]{2}”\.$/);
  expect(
    await page
      .getByText(/undefined|NaN|true|false/)
      .filter({ visible: true })
      .count(),
  ).toBe(0);
});

test('an app without a history says so, and still says when each question was answered', async () => {
  await page.goto(new URL('/?plain', page.url()).href);
  await click('Privacy');
  await share().click();
  await click('Answer');
  await says('Answered on');
  await click('Send');
  await says('This app keeps no list of what it has sent.');
  expect(await history()).toBeNull();
});

test('tells of what is reported where nothing is answered, and of the day that it waits for', async () => {
  await page.goto(new URL('/?event', page.url()).href);
  await click('Privacy');
  await share().click();
  await says('If you do not answer, “no” is sent in your place, changed at random as well.');
  await says(/Its report is sent on \w+ \d+, \d{4} or later, whether you answer or not\./);
  await says(/Waits until \w+ \d+, \d{4} or later\./);
});

test('when it is turned off, erases what waits and the history, and says what stays stored', async () => {
  await click('Privacy');
  await share().click();
  await click('Answer');
  await bytes().waitFor();
  await click('Send');
  await expect.poll(history).toContain('"day"');
  await share().click();
  await says('Off. Nothing is sent. What waited to be sent has been erased. This device keeps your decision, and the dates until');
  await expect.poll(() => page.getByText('or later, whether you answer').count()).toBe(0);
  await says('It also keeps one answer to “Home page”, which was changed at random when you gave it.');
  await says('The list is empty. It holds what has been delivered since sharing was turned on.');
  expect(await history()).toBeNull();
  expect((await stored()).outbox).toEqual([]);
  await page.reload();
  await click('Privacy');
  await says('Off. Nothing is sent. What waited to be sent has been erased.');
});

test('what the collector has taken is not remembered where its answer comes after a refusal', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/collector/**', async (route) => {
    await held;
    await route.fulfill({ status: 204 });
  });
  await click('Privacy');
  await share().click();
  await click('Answer');
  await bytes().waitFor();
  const request = page.waitForRequest('**/collector/**');
  await click('Send');
  await request;
  await page.evaluate(() => localStorage.setItem('murmuration:notes:sent', '[]'));
  await share().click();
  await says('Off. Nothing is sent');
  await expect.poll(() => history()).toBeNull();
  const answered = page.waitForResponse('**/collector/**');
  release();
  await answered;
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect(await history()).toBeNull();
});

test('erases everything but a tombstone, when it is asked to and that is confirmed', async () => {
  await click('Privacy');
  await share().click();
  await click('Answer');
  await bytes().waitFor();
  await click('Erase what is stored');
  const erasing = page.getByRole('group', { name: /This erases what is stored about your answers/ });
  await erasing.waitFor();
  expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent)).toBe('Cancel');
  await page.keyboard.press('Escape'); // closes the question, not the panel
  await erasing.waitFor({ state: 'hidden' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent)).toBe('Erase what is stored');
  expect(await share().getAttribute('aria-checked')).toBe('true');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await says('This device keeps your decision, and the dates until which nothing is asked again.');
  await says(/It is not asked before \w+ \d+, \d{4}\./);
  await says('Nothing is waiting to be sent.');
  expect(await page.getByText('It also keeps one answer').count()).toBe(0);
  expect(Object.keys((await stored()).accounts['home'] ?? {})).toEqual(['day', 'by', 'spent']);
});

test('works in a second tab, which shows what the first has stored, and turns it off there at once', async () => {
  await click('Privacy');
  await share().click();
  await click('Answer');
  await bytes().click();
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByRole('button', { name: 'Privacy' }).click();
  await second.getByText('Show the exact').click();
  await expect.poll(() => second.locator('pre').textContent()).toBe(await page.locator('pre').textContent());
  await second.getByRole('switch').click();
  await says('Off. Nothing is sent');
  await says('Nothing is waiting to be sent.');
  await expect.poll(async () => (await stored()).outbox).toEqual([]);
  await page.bringToFront();
  await click('Send');
  expect(visit.sent).toEqual([]);
});
