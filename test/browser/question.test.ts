/** A question's page in a real Chromium: its sentence is the API's verdict, each choice is in the address, and what is taken away holds the same numbers. */

import { readFile } from 'node:fs/promises';
import { createReader } from '@murmuration/collector/reader';
import axe from 'axe-core';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { PublicQuestion } from '#collector/api/forms/answers.ts';
import { publicApps, WELL_KNOWN } from '#collector/api/openapi/well-known.ts';
import { EFFORT } from '../setup/effort.ts';
import { address, PATIENCE, page, servePages } from './context.ts';
import { dayAt, POISONED, RELEASE, startPast } from './question-store.ts';

servePages(startPast, { viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] });

const reader = () => createReader(undefined, { url: address, timeout: PATIENCE });
const verdict = (): Locator => page.locator('.verdict').first();
const poisoned = dayAt(POISONED);

/** Waits until the page shows all that its address asks for. */
const settled = () => page.waitForFunction(() => document.querySelector('.tools') && !document.querySelector('.loading, .outdated'));

async function open(view: string): Promise<void> {
  await page.goto(`${address}/questions/${view}`);
  await settled();
}

/** A day in words, as the page says it. */
const inWords = (day: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(day));

async function saved(name: string): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await page.locator('.tools').first().getByRole('button', { name, exact: true }).click();
  return readFile(await (await download).path());
}

describe('comparing', () => {
  test('two clicks from the overview say whether version 2 changed dark mode, in the words of the API', async () => {
    await page.goto(address);
    await page.locator('.asks').getByRole('link', { name: 'Is dark mode on?' }).click();
    await page.getByText('version', { exact: true }).click();
    const { verdict: said, differences } = await reader().compare('dark', { version: 1 }, { version: 2 });
    expect(differences[0]?.isClear).toBe(true);
    await expect.poll(() => verdict().textContent()).toBe(`version 2 compared with version 1: ${said}.`);
    await settled();
    const [, a, b] = await page.locator('.compared tbody tr').first().locator('th, td').allTextContents();
    const compared = () => reader().others('dark', { version: 1 }, { version: 2 });
    await expect.poll(async () => (await compared()).others.map(({ state }) => state)).not.toContain('not-compared'); // in ten seconds
    const { others } = await compared();
    await page.getByText('What else changed').click();
    const sentences = others.flatMap(({ description, verdict = '', state }) =>
      state === 'differs' ? [`${description} ${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}.`] : [],
    );
    expect(sentences).toEqual([expect.stringContaining('How long is a session? Mean is higher by')]);
    await expect.poll(() => page.locator('.others li').allTextContents()).toEqual(sentences);
    await page.getByText('Left out: 1 with too few reports; 1 with strings').waitFor();
    expect([a, b].map((text) => Number.parseFloat(text ?? '') / 100)).toEqual([
      expect.closeTo(differences[0]?.a.estimate as number, 2),
      expect.closeTo(differences[0]?.b.estimate as number, 2),
    ]);
    await page.goBack();
    await expect.poll(() => verdict().textContent()).toMatch(/^Yes: between /);
    await page.goBack();
    await page.locator('.asks').getByRole('link', { name: 'Is dark mode on?' }).waitFor();
  });

  test('two clicks compare iOS with Android, and a third another pair', async () => {
    await page.goto(address);
    await page.locator('.asks').getByRole('link', { name: 'Is dark mode on?' }).click();
    await page.locator('.compare-controls').getByText('platform', { exact: true }).click();
    const of = (platform: string) => ({ segment: { platform } });
    const ios = await reader().compare('dark', of('ios'), of('android'));
    await expect.poll(() => verdict().textContent()).toBe(`android compared with ios: ${ios.verdict}.`);
    await page.getByRole('group', { name: 'A', exact: true }).getByText('web').click();
    const web = await reader().compare('dark', of('web'), of('android'));
    await expect.poll(() => verdict().textContent()).toBe(`android compared with web: ${web.verdict}.`);
    expect(page.url()).toContain('a.segment.platform=web&b.segment.platform=android');
  });

  test('days before and since a version, by keyboard alone', async () => {
    await page.goto(address);
    await page.getByRole('link', { name: 'How long is a session?' }).press('Enter');
    await settled();
    await page.getByRole('radio', { name: 'nothing' }).press('ArrowUp'); // to the last, which is days
    const release = dayAt(RELEASE);
    const found = await reader().compare('minutes', { to: dayAt(RELEASE - 1) }, { from: release });
    await expect.poll(() => verdict().textContent()).toContain(`: ${found.verdict}.`);
    expect(found.verdict).toMatch(/went up by .* minutes/);
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).type)).toBe('radio');
  });

  test('a link to a version or a segment that is gone says so, and shows the rest', async () => {
    await open('dark?app=notes&a.version=1&b.version=9&segment.platform=tv');
    for (const gone of ['version 9', 'platform: tv']) await page.getByRole('status').filter({ hasText: gone }).waitFor();
    await expect.poll(() => verdict().textContent()).toMatch(/^Yes: /);
    await open('dark?app=notes&from=2020-01-01');
    await page
      .getByRole('status')
      .filter({ hasText: `They begin on ${inWords(dayAt(0))}.` })
      .waitFor();
  });
});

describe('an experiment', () => {
  const arms = (a: string, b: string) => `dark?app=notes&a.segment.platform=${a}&b.segment.platform=${b}&experiment=true`;

  test('its arms have the sample-ratio check of the API as one sentence', async () => {
    await open('dark?app=notes&a.segment.platform=ios&b.segment.platform=android');
    await page.getByText('arms of an experiment, drawn by an even coin').click();
    const [ios, android] = [{ segment: { platform: 'ios' } }, { segment: { platform: 'android' } }];
    const { sampleRatio } = await reader().compare('dark', ios, android, { experiment: true });
    expect(sampleRatio?.isBroken).toBe(false);
    await page.getByText(`Arms of an experiment: ${sampleRatio?.verdict}.`).waitFor();
    expect(page.url()).toBe(`${address}/questions/${arms('ios', 'android')}`);
  });

  test('arms that no coin gives are said aloud to be void, before everything else, and nothing is told of them', async () => {
    await open(arms('ios', 'web')); // with the crafted reports
    const alert = page.getByRole('alert');
    expect(await alert.textContent()).toMatch(/^Void: an even coin does not give 1,600 and 2,200 reports \(p < 0\.0001\), so /);
    expect(await page.locator('.verdict').allTextContents()).toEqual([
      await alert.textContent(),
      'web compared with ios: no verdict: the sample-ratio check failed.',
    ]);
    expect(await page.locator('.told').count()).toBe(0);
  });
});

describe('days left out', () => {
  const exclude = () => new URL(page.url()).searchParams.get('exclude');

  test('a day that the watch names is offered, and the answer says what was left out', async () => {
    await open('dark?app=notes');
    const before = await verdict().textContent();
    await page
      .locator('.suspicious')
      .getByRole('button', { name: `Leave out ${inWords(poisoned)}` })
      .click();
    await page.getByText(`Left out: ${inWords(poisoned)} (720 reports).`).waitFor();
    expect(exclude()).toBe(poisoned);
    await settled();
    const { verdict: told, excluded } = await reader().estimates('dark', { exclude: [poisoned], looks: 'once' });
    expect([told?.kind, excluded?.[0]?.reports]).toEqual(['share', 720]);
    const [low, high] = [...((await verdict().textContent()) ?? '').matchAll(/\d+\.\d/g)].map(Number) as [number, number];
    expect(low).toBeCloseTo(100 * (told?.interval?.low ?? 0), 0);
    expect(high).toBeCloseTo(100 * (told?.interval?.high ?? 0), 0);
    await page.getByText('This holds for a single look').waitFor();
    expect(await page.locator('.trend-out').count()).toBe(1);
    await page.goBack();
    await expect.poll(() => verdict().textContent()).toBe(before);
    expect(exclude()).toBe(null);
  });

  test('the last days have no sentence that stays true, and get one when they stay', async () => {
    await open('minutes?app=notes&days=7');
    expect(await verdict().textContent()).toBe(
      'No conclusion here, because the chosen days change every day. Choose all days, or days that stay.',
    );
    await page.getByRole('button', { name: `Stay with ${dayAt(33).slice(8).replace(/^0/, '')}` }).click();
    await expect.poll(() => verdict().textContent()).toMatch(/^On average between .* minutes\.$/);
    expect(new URL(page.url()).search).toBe(`?app=notes&from=${dayAt(33)}&to=${dayAt(39)}`);
  });

  test('a click on a day of the trend leaves it out, and another one puts it back', async () => {
    await open('dark?app=notes');
    const box = (await page.locator('.trend svg').boundingBox()) as { x: number; y: number; width: number; height: number };
    const at = { x: box.x + 52 + (box.width - 66) * ((POISONED + 0.5) / 40), y: box.y + box.height / 2 };
    await page.mouse.click(at.x, at.y);
    await expect.poll(exclude).toBe(poisoned);
    await settled();
    await page.mouse.click(at.x, at.y);
    await expect.poll(exclude).toBe(null);
  });

  test('by keyboard, a slider chooses the day and tells its numbers', async () => {
    await open('dark?app=notes&interval=week');
    const slider = page.getByRole('slider');
    await slider.press('Home');
    await slider.press('ArrowRight');
    const { points } = await reader().series('dark', { interval: 'week' });
    const { from, reports } = points[1] as (typeof points)[number];
    expect(await slider.getAttribute('aria-valuetext')).toContain(`${reports} reports`);
    await page.locator('.reading button').press('Enter');
    await expect.poll(() => exclude()?.split(',').length).toBe(7);
    expect(exclude()).toContain(from);
    await page.getByRole('button', { name: `Put back ${inWords(from)}` }).click();
    await expect.poll(() => exclude()?.split(',').length).toBe(6);
  });
});

describe('taking away', () => {
  const rowsOf = (csv: Buffer): readonly (readonly string[])[] =>
    csv
      .toString()
      .trim()
      .split('\r\n')
      .map((row) => row.split(','));

  test('CSV has the numbers of the JSON beside it: of a trend, of a comparison and of strings', async () => {
    await open('dark?app=notes');
    const json = (await page.locator('.tools a').first().getAttribute('href')) as string;
    const { points } = (await (await fetch(new URL(json, `${address}/`))).json()) as Awaited<
      ReturnType<ReturnType<typeof reader>['series']>
    >;
    const [heading = [], ...rows] = rowsOf(await saved('CSV'));
    expect(heading.slice(1, 9)).toEqual(['from', 'to', 'reports', 'answer', 'estimate', 'standardError', 'low', 'high']);
    expect(rows.map((row) => row.slice(1, 9))).toEqual(
      points.flatMap(({ from, to, reports, answers }) =>
        answers.map(({ label, estimate, standardError, low, high }) =>
          [from, to, reports, label, estimate, standardError, low, high].map(String),
        ),
      ),
    );
    await open('page?app=notes');
    const strings = (await saved('CSV')).toString();
    const decoded = await reader().decode('page', { all: true });
    expect(strings).toContain(`"'=1+1",true`);
    for (const { typical } of decoded.strings) expect(strings).toContain(String(typical));
  });

  test('a picture is an image with the question, the sentence and the line, as SVG and as PNG', async () => {
    await open('dark?app=notes&a.version=1&b.version=2');
    const said = (await verdict().textContent()) as string;
    const svg = (await saved('SVG')).toString();
    const drawn = await page.evaluate((text) => {
      const { documentElement: root } = new DOMParser().parseFromString(text, 'image/svg+xml');
      const lines = [...root.querySelectorAll('polyline')].map((line) => [
        line.getAttribute('stroke'),
        line.getAttribute('points')?.split(' ').length,
      ]);
      const spaced = [...root.querySelectorAll('text')].map((each) => each.textContent).filter((each) => each !== each.trim());
      return { text: root.textContent, spaced, lines, classes: root.querySelectorAll('[class]').length };
    }, svg);
    expect(drawn.text).toContain('Is dark mode on?');
    expect(drawn.text?.replaceAll(/\s/g, '')).toContain(said.replaceAll(/\s/g, ''));
    expect(drawn.spaced).toEqual([]);
    expect(drawn.text).not.toMatch(/Copy link|Leave out/);
    expect(drawn.lines).toEqual([
      [expect.stringMatching(/^rgb/), RELEASE],
      [expect.stringMatching(/^rgb/), 40 - RELEASE],
    ]);
    expect(drawn.classes).toBe(0);
    const png = await saved('PNG');
    const pixels = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const pen = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
      pen.drawImage(image, 0, 0);
      return { width: image.width, colours: new Set(new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer)).size };
    }, png.toString('base64'));
    expect(pixels.width).toBeGreaterThanOrEqual(1_920);
    expect(pixels.colours).toBeGreaterThan(50);
  });

  test('what somebody wrote on a day is a mark, a line of text and a cell, as text and in the image, and not on the public page', async () => {
    const [text, day] = ['<img src=x onerror=alert(1)> campaign & "more" in three countries', dayAt(5)];
    const body = JSON.stringify({ app: 'notes', metric: 'dark', day, text });
    await fetch(`${address}/v1/annotations`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await open('dark?app=notes');
    await expect.poll(() => page.getByRole('list', { name: 'Marked days' }).textContent()).toContain(`${inWords(day)}: ${text}`);
    expect(await page.locator('.trend svg .trend-note').count()).toBe(1);
    expect(await page.locator('.trend svg').textContent()).toContain('<img src=x onerror=alert(…');
    await page.getByText('The numbers as a table').click();
    await expect.poll(() => page.getByRole('cell', { name: text }).count()).toBe(1);
    const svg = (await saved('SVG')).toString();
    const drawn = await page.evaluate(
      (source) => new DOMParser().parseFromString(source, 'image/svg+xml').documentElement.textContent,
      svg,
    );
    expect(drawn?.replaceAll(/\s/g, '')).toContain(text.replaceAll(/\s/g, ''));
    await open('plan?app=notes');
    expect(await page.locator('.trend-note').count()).toBe(0);
    await page.goto(`${address}/public/notes/dark`);
    await verdict().waitFor();
    expect(await page.locator('body').textContent()).not.toContain('campaign');
  });

  test('the link is the view, and the sentence stands with its question', async () => {
    await open('plan?app=notes&picture=shares');
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect.poll(clipboard).toBe(page.url());
    await page.getByRole('button', { name: 'Copy sentence' }).click();
    await expect.poll(clipboard).toContain(`Which plan? ${await verdict().textContent()}`);
  });
});

test('Back and a reload return to the place and the open part, the tab names the view, and paper has no controls', async () => {
  // A question without signs, which may come after the place and move it.
  await open('plan?app=notes&a.version=1&b.version=2');
  expect(await page.title()).toBe('Which plan? version 2 compared with version 1 · Murmuration');
  await page.getByText('The numbers as a table').click();
  await expect.poll(() => new URL(page.url()).searchParams.get('open')).toBe('table');
  const place = () => page.evaluate(() => [Math.round(scrollY), document.querySelectorAll('details[open] table').length]);
  await page.evaluate(() => scrollTo(0, 600));
  await expect.poll(() => page.evaluate(() => (history.state as { y?: number } | null)?.y)).toBe(600);
  await page.getByRole('link', { name: 'All questions' }).evaluate((link: HTMLElement) => link.click());
  await page.locator('.asks').waitFor();
  await page.goBack();
  await expect.poll(place).toEqual([600, 1]);
  await page.reload();
  await expect.poll(place).toEqual([600, 1]);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.locator('button, input, select, .search, .tools, .way-back').filter({ visible: true }).count()).toBe(0);
  expect(await verdict().isVisible()).toBe(true);
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--card'))).toBe('#ffffff');
});

test('answers to lists together are a table of shares with their margins, as the API has them, and its verdict on both', async () => {
  await open('film?app=notes');
  const [{ answers }, { verdict: both }] = await Promise.all([reader().estimates('film'), reader().association('film')]);
  const table = page.getByRole('region', { name: 'Estimated shares of genre with rating' });
  expect(await table.getByRole('columnheader').allTextContents()).toEqual(['genre', 'G', 'R']);
  expect(await table.getByRole('rowheader').allTextContents()).toEqual(['Action', 'Drama', 'Western']);
  const cells = await table.getByRole('cell').allTextContents();
  for (const [i, { estimate, low, high }] of answers.entries()) {
    const [middle = 0, around = 0] = (cells[i] ?? '').replaceAll('\u2212', '-').split('±').map(Number);
    expect(middle).toBeCloseTo(100 * estimate, 1);
    expect([middle - around <= 100 * low, middle + around >= 100 * high]).toEqual([true, true]);
  }
  await page.getByText(`${both.charAt(0).toUpperCase()}${both.slice(1)}.`.replaceAll(' %', '\u00a0%')).waitFor();
  const svg = (await saved('SVG')).toString();
  for (const share of await table.locator('.heat-share').allTextContents()) expect(svg).toContain(`>${share}<`);
});

test('of the best option, the page shows the options with the score of each', async () => {
  await open('layout?app=notes');
  const { options = [] } = await reader().estimates('layout');
  const shown = await page.locator('.facts dd').allTextContents();
  expect(await page.locator('.facts dt').allTextContents()).toEqual(['list', 'grid']);
  expect(shown.map(Number.parseFloat)).toEqual(options.map(({ estimate }) => expect.closeTo(estimate, 2)));
});

test('a question that is published has a page for people without a token, and HTML that frames it', async () => {
  await open('dark?app=notes');
  await page.getByRole('button', { name: 'Copy embed' }).first().click();
  await page.getByText('The HTML of a frame is copied.').waitFor();
  const frame = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('link', { name: 'Public page' }).first().click();
  await page.getByRole('heading', { name: 'Is dark mode on?' }).waitFor();
  const { estimates } = (await (await fetch(`${address}/v1/public/notes/dark`)).json()) as PublicQuestion;
  await expect.poll(() => verdict().textContent()).toMatch(/^Yes: between /);
  expect(estimates?.verdict?.kind).toBe('share');
  expect(await page.locator('.note-problem').textContent()).toBe(
    `Some reports of ${inWords(poisoned)} can’t be right, and they are counted here.`,
  );
  expect(await page.locator('body').textContent()).not.toMatch(/design|platform|version 2|ios|Leave out/);
  await page.goto(`${address}/releases.html`);
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), frame);
  const inside = page.frameLocator('iframe[title="Is dark mode on?"]');
  await inside.locator('.verdict').waitFor();
  expect(await inside.locator('.trend svg').count()).toBe(1);
});

test('what an app asks is public, in the words of its statement, for at most 25 kB and without a cookie', async () => {
  const sizes: Promise<number>[] = [];
  page.on('response', (response) =>
    sizes.push(
      response
        .request()
        .sizes()
        .then(({ responseBodySize }) => responseBodySize),
    ),
  );
  await page.context().clearCookies();
  await page.goto(`${address}/public/notes`);
  await page.getByRole('heading', { name: 'Is dark mode on?' }).waitFor();
  const { apps } = publicApps.parse(await (await fetch(`${address}${WELL_KNOWN}`)).json());
  const [newest] = apps.find(({ app }) => app === 'notes')?.schemas ?? [];
  const shown = await page.locator('main').textContent();
  const lines = (newest?.statement ?? '').split('\n').filter((line) => line !== '');
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) expect(shown).toContain(line.replace(/^- (.*) \(\S+\)$/, '$1').trim());
  expect(shown).toContain(newest?.fingerprint);
  expect(shown).toContain('3,650 days');
  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size)).toBeLessThan(25_000);
  expect(await page.context().cookies()).toEqual([]);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(await page.getByRole('link', { name: 'What all answers together say' }).count()).toBeGreaterThan(0);
  await page.goto(`${address}/releases.html`);
  await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<iframe src="embed/notes" title="What notes asks"></iframe>'));
  await page.frameLocator('iframe').getByRole('heading', { name: 'Is dark mode on?' }).waitFor();
  await page.goto(`${address}/public/nobody`);
  await page.getByText('Nothing is asked here for nobody').waitFor();
});

/** The first words of a sentence, by the kind of its verdict and the type of its question. */
const FIRST: { readonly [kind: string]: (type: string) => string } = {
  share: () => 'Yes: ',
  mean: () => 'On average ',
  median: () => 'Half are below, and half above, a number ',
  close: () => 'Too close to call',
  best: () => '',
  tied: () => 'Too close to call which option has the highest mean score: ',
  noise: () => 'No answer stands out',
  lead: (type) => ({ histogram: 'The most frequent range is ', joint: 'The most frequent combination is ' })[type] ?? '',
};

test('the sentence of every type of question is the verdict of the API: its kind, its answers, its interval and its unit', async () => {
  await page.goto(`${address}/questions/unasked?app=notes`); // which asks for nothing, so that one question after the other is computed
  const types = new Set<string>();
  for (const { metric, type, reports, unit, description } of await reader().metrics()) {
    if (reports === 0) continue;
    types.add(type);
    const answer = type === 'text' ? await reader().decode(metric, { all: true }) : await reader().estimates(metric);
    const { kind = '', answers = [], interval } = answer.verdict ?? {};
    await page.evaluate((path) => {
      history.pushState(null, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `${address}/questions/${metric}?app=notes`);
    await page.getByRole('heading', { name: description }).waitFor();
    await settled();
    const [said = '', ...more] = await page.locator('.question-head .verdict').allTextContents();
    expect([metric, said.startsWith(FIRST[kind]?.(type) ?? '-')]).toEqual([metric, true]);
    const isPlain = kind === 'lead' && FIRST[kind]?.(type) === '';
    expect([metric, said.includes(' leads: ')]).toEqual([metric, isPlain]);
    const labels = kind === 'share' ? ['Yes'] : ['lead', 'close', 'best', 'tied'].includes(kind) ? answers.slice(0, 2) : [];
    for (const label of labels) expect(said).toContain(label.replace('1000', '1,000'));
    if (interval && !['close', 'tied'].includes(kind)) {
      const ends = [...said.replaceAll(',', '').matchAll(/\d+(?:\.\d+)?/g)].slice(-2).map(Number) as [number, number];
      const scale = ['share', 'lead'].includes(kind) ? 100 : 1;
      expect(ends[0]).toBeLessThanOrEqual(scale * interval.low + 1e-9);
      expect(ends[1]).toBeGreaterThanOrEqual(scale * interval.high - 1e-9);
      expect(ends[1] - ends[0]).toBeLessThan(1.2 * scale * (interval.high - interval.low));
    }
    if (unit) expect(said).toContain(unit);
    expect(more).toEqual('meaning' in answer ? [answer.meaning.replaceAll(' %', '\u00a0%')] : []);
  }
  expect(types.size).toBe(10); // discover has the sentences of text, after a search of its own
});

const LOOKS = [
  [320, 'light', 'dark?app=notes&a.version=1&b.version=2'],
  [1280, 'dark', 'start?app=notes'],
  [320, 'light', '../public/notes/dark'],
  [2560, 'dark', 'dark?app=notes&a.to=2026-01-01&b.from=2026-01-02'],
  [320, 'dark', 'plan?app=notes&picture=shares'],
  [320, 'light', 'page?app=notes'],
  [1280, 'light', 'unasked?app=notes'],
  [1280, 'dark', '../public/notes/start'],
  [320, 'dark', '../embed/notes/dark'],
] as const;
test.each(LOOKS.slice(0, 3 * EFFORT))(
  'at %i pixels, %s, %s has no flaw that axe knows, nothing overflows, and targets are large',
  async (width, colorScheme, view) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${address}/questions/${view}`);
    await page.waitForFunction(() => document.querySelector('.question') && !document.querySelector('.loading, .outdated, .decoding'));
    for (const summary of await page.locator('.question summary').all()) await summary.click();
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    const wrong = await page.evaluate(() => [
      ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page is too wide'] : []),
      ...[...document.querySelectorAll('.row-label, .row-value, .value, .verdict, .evidence, .facts dd, .density, .trend')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => `overflows: ${textContent}`),
      ...[...document.querySelectorAll('.question :is(button, summary, .tools a, .choice-option, input[type="date"], input[type="range"])')]
        .filter((target) => target.checkVisibility())
        .map((target) => [target.textContent, target.getBoundingClientRect().height] as const)
        .filter(([, height]) => height < 24)
        .map(([text, height]) => `too small: ${text} ${height}`),
    ]);
    expect(wrong).toEqual([]);
  },
);
