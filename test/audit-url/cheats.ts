/** Cheats that an audit must find, and how: each is the honest app with one part changed. */

import { toBase64url } from '@murmuration/shared';
import { KEYS, type Parts, RELAY, relayed, SCHEMA } from './apps.ts';

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
  'address of a socket': { answer: `new WebSocket(location.origin.replace('http', 'ws') + '/' + metric + value); ${RECORD}` },
  'header of another request': { answer: `void fetch('/ping', { headers: { 'x-view': btoa(metric + value) } }); ${RECORD}` },
  'day of the upload': {
    answer: `if (metric === 'dark') localStorage.setItem('theme', Date.now() + (value ? 2 : 1) * 86_400_000 - 3_600_000); ${RECORD}`,
    options: transport(`return Date.now() < Number(localStorage.getItem('theme')) ? { status: 503 } : post(body);`),
  },
  'third visit': {
    before: `const visits = Number(localStorage.getItem('theme')) + 1; localStorage.setItem('theme', visits);`,
    answer: `if (visits > 4) navigator.sendBeacon('/b', metric + '=' + value); ${RECORD}`,
  },
  'coins from a seed': {
    options: `rng: (bytes) => { for (let i = 0; i < bytes.length; i++) { seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5; bytes[i] = seed >>> 24; } },`,
    before: 'let seed = 2_463_534_242 ^ navigator.userAgent.length;',
  },
  'coins from a seed, and words for show': {
    options: `rng: (bytes) => { crypto.getRandomValues(bytes);
      for (let i = 0; i < bytes.length; i++) { seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5; bytes[i] = seed >>> 24; } },`,
    before: 'let seed = 2_463_534_242 ^ navigator.userAgent.length;',
  },
  webdriver: { answer: `if (!navigator.webdriver) navigator.sendBeacon('/b', metric + '=' + value); ${RECORD}` },
  'webdriver only': { answer: `if (navigator.webdriver) navigator.sendBeacon('/b', metric + '=' + value); ${RECORD}` },
};

const keys = toBase64url(KEYS);

/** The transport of the honest app, with other options or another upload. */
const through = (options: string, upload = '{ url, body }'): string =>
  `relayTransport({ schema, relay: '${RELAY}', keys: '${keys}', ${options} })(${upload})`;

/** Sends by a transport of the app, which seals its messages itself. */
const sealing = (post: string): string => `transport: async ({ url, body }) => {
  if (Date.now() < Date.parse(JSON.parse(body).day) + 86_400_000) return { status: 425 };
  const { protocol, host, pathname } = new URL(url);
  const seal = async (fields, pair) => {
    const inner = { method: 'POST', scheme: protocol.slice(0, -1), authority: host, path: pathname, fields, content: new TextEncoder().encode(body) };
    return (await sealRequest(decodeKeys(fromBase64url('${keys}')), encodeRequest(inner, 1_024), pair)).message;
  };
  const post = async (message) =>
    ({ status: (await fetch('${RELAY}', { method: 'POST', body: message, headers: { 'content-type': 'message/ohttp-req' } })).status === 200 ? 204 : 503 });
  ${post}
},`;

/** Checks that find a cheat, and the options of its telemetry, of an app whose reports go through a relay. */
const RELAYED: Readonly<Record<string, readonly [check: string, options: string]>> = {
  'path of the relay': ['twins', `transport: ({ url, body }) => ${through(`relay: '${RELAY}/' + last`)},`],
  'size of a message': ['messages', `transport: ({ url, body }) => ${through('size: 1_024 << last')},`],
  'hour of a message': ['twins', `transport: ({ url, body }) => ${through('hours: 24 - 18 * last')},`],
  'two reports in a message': [
    'messages',
    `transport: ({ url, body }) => {
    const batch = JSON.parse(body);
    return ${through('', '{ url, body: JSON.stringify({ ...batch, reports: [...batch.reports, ...batch.reports] }) }')};
  },`,
  ],
  'beside the message': [
    'past the relay',
    `transport: ({ url, body }) => {
    void fetch(url, { method: 'POST', body });
    return ${through('')};
  },`,
  ],
  'past the relay': ['past the relay', ''],
  'a key for one device': [
    'key of the collector',
    `transport: ({ url, body }) => {
    const first = btoa(String.fromCharCode(0, 41, crypto.getRandomValues(new Uint8Array(1))[0] & 31));
    return ${through(`keys: first + '${keys.slice(4)}'`)};
  },`,
  ],
  'a name of the device': [
    'batch ids',
    `transport: ({ url, body }) => {
      const name = localStorage.getItem('name') ?? crypto.randomUUID().replaceAll('-', '');
      localStorage.setItem('name', name);
      const { batch } = JSON.parse(body);
      return ${through('since: 9', '{ url, body: body.replace(batch, batch.slice(0, 16) + name.slice(16)) }')};
    },`,
  ],
  'all at once': [
    'moments',
    `transport: async ({ url, body }) => {
    if (Date.now() < Date.parse(JSON.parse(body).day) + 86_400_000) return { status: 425 };
    const held = [...JSON.parse(localStorage.getItem('held') ?? '[]'), { url, body }];
    localStorage.setItem('held', JSON.stringify(held));
    if (held.length === 2) for (const each of held) await ${through('hours: 0', 'each')};
    return { status: 204 };
  },`,
  ],
  'a field of the request': ['messages', sealing(`return post(await seal([['content-type', 'text/plain'], ['x-a', String(last)]]));`)],
  'chosen key pairs': [
    'twins',
    sealing(`for (;;) {
    const pair = await webCrypto.generatePair();
    if (pair.publicKey[0] % 2 === last) return post(await seal([['content-type', 'text/plain']], pair));
  }`),
  ],
  'sealed in another way': [
    'messages',
    sealing(`const message = await seal([['content-type', 'text/plain']]);
    return post(message.map((byte, i) => (i < 39 ? byte : i === 50 ? last : byte ^ 85)));`),
  ],
};

/** Cheats of an app whose reports go through a relay, and the check that finds each. */
export const relayedCheats: readonly (readonly [name: string, check: string, parts: Parts])[] = Object.entries(RELAYED).map(
  ([name, [check, options]]) => {
    const before = `${relayed.before}
      import { decodeKeys, encodeRequest, fromBase64url, sealRequest, webCrypto } from '@murmuration/shared';
      let last = 0;`;
    return [name, check, { ...relayed, before, answer: `if (metric === 'dark') last = Number(value); ${RECORD}`, options }];
  },
);
