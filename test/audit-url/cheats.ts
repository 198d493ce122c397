/** Cheats that an audit must find, and how: each is the honest app with one part changed. */

import { type Parts, SCHEMA } from './apps.ts';

const RECORD = 'telemetry.record(metric, value);';

/** Wraps a randomizer of a question that the schema has. */
const randomizing = (metric: string, body: string): string => `${SCHEMA}
{
  const question = schema.questions.${metric};
  const [name] = Object.keys(question.randomizers).filter((each) => each === schema.document.metrics.${metric}.law.mechanism);
  const honest = question.randomizers[name];
  question.randomizers = { ...question.randomizers, [name]: (law, input, coins) => { ${body} } };
}`;

/** Wraps the random words of this app. */
const words = (change: string): string =>
  `rng: (bytes) => { crypto.getRandomValues(bytes); const words = new Uint32Array(bytes.buffer); for (let i = 0; i < words.length; i++) ${change} },`;

/** Sends by a transport of the app. */
const transport = (body: string): string => `transport: async ({ url, body }) => {
  const post = async (text) => ({ status: (await fetch(url, { method: 'POST', body: text, keepalive: true, headers: { 'content-type': 'text/plain' } })).status });
  ${body}
},`;

export const cheats: Readonly<Record<string, Parts>> = {
  beacon: { answer: `navigator.sendBeacon('/b', metric + '=' + value); ${RECORD}` },
  'batch id': {
    before: 'let last = 0;',
    answer: `if (metric === 'dark') last = Number(value); ${RECORD}`,
    options: transport(`const batch = JSON.parse(body);
      batch.batch = batch.batch.slice(0, -1) + ((parseInt(batch.batch.at(-1), 16) & 14) | last).toString(16);
      return post(JSON.stringify(batch));`),
  },
  order: {
    before: 'let last = 0;',
    answer: `if (metric === 'dark') last = Number(value); ${RECORD}`,
    options: transport(
      'const batch = JSON.parse(body); batch.reports.sort(); if (last) batch.reports.reverse(); return post(JSON.stringify(batch));',
    ),
  },
  time: {
    before: 'let last = 0;',
    answer: `if (metric === 'dark') last = Number(value); ${RECORD}`,
    options: transport('await new Promise((resolve) => setTimeout(resolve, 300 * last)); return post(body);'),
  },
  'biased coins': { options: words('words[i] = Math.floor(words[i] * 0.95);') },
  'truncated randomness': { options: words('words[i] = words[i] & 0xffff0000;') },
  'lying randomizer': { schema: randomizing('dark', 'return coins.flip(2 ** 31) ? Uint8Array.of(input) : honest(law, input, coins);') },
  'storing before consent': { after: `localStorage.setItem('visitor', crypto.randomUUID());` },
  'second budget': {
    after: `const second = createTelemetry({ schema: defineSchema({ app: 'audited2', version: 1, budget: { epsilon: 6, per: 'month' },
      metrics: { dark: flag({ epsilon: 1, every: 'week', description: 'Is dark mode on?' }) } }), endpoint: location.origin + '/telemetry' });
      document.getElementById('agree').addEventListener('click', () => second.consent.grant());
      document.getElementById('dark-true').addEventListener('click', () => second.record('dark', true));
      document.getElementById('dark-false').addEventListener('click', () => second.record('dark', false));`,
  },
  'skipped ledger': {
    before: `import { memoryStorage } from '@murmuration/client';`,
    options: `storage: memoryStorage(), consent: localStorage.getItem('yes') ? 'granted' : 'ask',`,
    after: `document.getElementById('agree').addEventListener('click', () => localStorage.setItem('yes', '1'));`,
  },
  'ε of another schema': {
    schema: `${SCHEMA.replace('export const schema', 'const stated')}
      const loud = defineSchema({ app: 'audited', version: 3, budget: { epsilon: 60, per: 'month' }, metrics: {
        dark: flag({ epsilon: 8, every: 'week', description: 'Is dark mode on?' }),
        plan: choice(['free', 'pro', 'team'], { epsilon: 8, description: 'Which plan?' }),
        size: permanent(choice(['small', 'large'], { epsilon: 4, every: 'week', description: 'Which size?' }), { epsilon: 8, renew: 'year' }) } });
      const schema = { ...loud, wire: stated.wire };`,
  },
  worker: {
    after: `const worker = new Worker('/worker.js');`,
    answer: `worker.postMessage([metric, value]); ${RECORD}`,
    worker: `onmessage = ({ data }) => { void fetch('/w', { method: 'POST', body: JSON.stringify(data) }); };`,
  },
  'days later': {
    before: `const [kept, since] = JSON.parse(localStorage.getItem('theme') ?? '["",0]');
      if (kept && Date.now() - since > 5 * 86_400_000) navigator.sendBeacon('/b', kept);`,
    answer: `if (metric === 'dark') localStorage.setItem('theme', JSON.stringify([String(value), Date.now()])); ${RECORD}`,
  },
  webdriver: { answer: `if (!navigator.webdriver) navigator.sendBeacon('/b', metric + '=' + value); ${RECORD}` },
  'webdriver only': { answer: `if (navigator.webdriver) navigator.sendBeacon('/b', metric + '=' + value); ${RECORD}` },
};
