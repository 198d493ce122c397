/** Habits of honest apps that an audit must not take for cheats: each is the app with one part changed. */

import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import type { Plan } from '#collector/planning/audit/deployed/plan.ts';
import { type Parts, PLAN, SCHEMA } from './apps.ts';
import { audited, failed, plainly } from './audited.ts';

const RECORD = 'telemetry.record(metric, value);';
const WIDE = SCHEMA.replace('epsilon: 7', 'epsilon: 8');
const SAVED = { ...PLAN, own: ['/api/settings', 'settings'] };

/** Answers no question for news, and all else at once. */
const withoutNews: RequestListener = ({ url }, response) => (url === '/news' ? undefined : response.writeHead(204).end());

/** Habits, and plans that name what each page needs for itself. */
const habits: Readonly<Record<string, readonly [parts: Parts, plan?: Plan, post?: RequestListener]>> = {
  'each answer leads to another page': [{ answer: `${RECORD} location.href = '/?saved';` }],
  'a count is recorded as the page is left': [
    {
      schema: WIDE.replace('metrics: {', `metrics: { clicks: count(9, { epsilon: 0.1, description: 'How many clicks?' }),`),
      before: `import { count } from '@murmuration/client'; let clicks = 0;`,
      answer: `clicks++; ${RECORD}`,
      after: `addEventListener('pagehide', () => telemetry.record('clicks', clicks));`,
    },
  ],
  'a question follows from another': [
    {
      schema: WIDE.replace('metrics: {', `metrics: { paid: flag({ epsilon: 0.1, description: 'Is it paid?' }),`),
      answer: `if (metric === 'plan') telemetry.record('paid', value !== 'free'); ${RECORD}`,
    },
  ],
  'settings are recorded again on each visit': [
    {
      answer: `localStorage.setItem('settings', JSON.stringify({ ...settings, [metric]: value })); settings[metric] = value; ${RECORD}`,
      after: `for (const [metric, value] of Object.entries(settings)) telemetry.record(metric, value);`,
      before: `const settings = JSON.parse(localStorage.getItem('settings') ?? '{}');`,
    },
    SAVED,
  ],
  'settings are saved by XMLHttpRequest, and by a relative address': [
    {
      answer: `const request = new XMLHttpRequest(); request.open('POST', 'api/settings'); request.send(metric + value);
        void fetch('api/settings', { method: 'POST', body: metric + value }); ${RECORD}`,
    },
    SAVED,
  ],
  'the page asks after some seconds, shows its settings later, and has a fault in a timer': [
    {
      after: `const agree = document.getElementById('agree');
        for (const button of document.querySelectorAll('button')) button.hidden = true;
        const show = () => { for (const button of document.querySelectorAll('button')) button.hidden = false; };
        setTimeout(() => { throw new Error('a fault of the page'); }, 3_000);
        setTimeout(() => { agree.hidden = false; if (localStorage.getItem('settings')) show(); }, 5_000);
        agree.addEventListener('click', () => { localStorage.setItem('settings', 'shown'); setTimeout(show, 3_500); });`,
    },
    SAVED,
  ],
  'a request for news stays open': [{ after: `void fetch('/news', { method: 'POST' });` }, PLAN, withoutNews],
  'another telemetry begins with the agreement': [
    {
      after: `document.getElementById('agree').addEventListener('click', () => {
        const other = createTelemetry({ schema: defineSchema({ app: 'other', version: 1, budget: { epsilon: 1, per: 'year' },
          metrics: { open: flag({ epsilon: 1, description: 'Was it opened?' }) } }), endpoint: location.origin + '/telemetry' });
        other.consent.grant();
        other.record('open', true);
        for (const id of ['refuse', 'forget']) document.getElementById(id).addEventListener('click', () => other.consent.deny());
      });`,
    },
  ],
};

test.each(Object.entries(habits))('%s', async (_, [parts, plan = PLAN, post]) => {
  const result = await audited('esbuild', parts, { plan, ...(post && { post }) });
  expect(failed(result)).toEqual([]);
  expect(plainly(result, 'end to end')).toContain('are what their laws make of them');
});
