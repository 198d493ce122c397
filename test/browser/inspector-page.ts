/**
 * A page with the inspector, for inspector.test.ts: the collector takes everything. `?event` asks about an event too, `?many` asks all
 * types of questions, `?plain` keeps no history.
 */

import {
  type Clock,
  choice,
  count,
  createTelemetry,
  defineSchema,
  flag,
  histogram,
  joint,
  mean,
  permanent,
  text,
} from '@murmuration/client';
import { withHistory } from '@murmuration/client/history';
import { openInspector } from '@murmuration/client/inspector';

const asks = new URLSearchParams(location.search);
const event = asks.has('event')
  ? { printed: flag({ epsilon: 1, every: 'week', otherwise: false, description: 'Was anything printed this week?' }) }
  : {};
const month = { epsilon: 1, every: 'month' } as const;
const many = asks.has('many')
  ? {
      startup: histogram([100, 300, 1000], { ...month, unit: 'ms', description: 'How long does a start take?' }),
      country: choice(['AT', 'CH', 'DE', 'FR', 'IT', 'LI', 'NL', 'PL', 'SE', 'UK'], { ...month, description: 'Which country?' }),
      together: joint({ plan: ['free', 'pro'], dark: [true, false] }, { ...month, description: 'Which plan goes with dark mode?' }),
      minutes: mean([0, 60], { ...month, description: 'How many minutes a day?' }),
      notes: count(20, { ...month, description: 'How many notes?' }),
    }
  : {};
/** More questions leave less for this one: all spend 8 a month, above which the console warns. */
const isMore = asks.has('event') || asks.has('many');
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 6 + 5 * Object.keys(event).length + Object.keys(many).length, per: 'month' },
  reports: 'together',
  segments: { platform: ['web', 'ios'] },
  metrics: {
    dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, every: 'once', description: 'Which plan?' }),
    home: permanent(text({ epsilon: 1, every: 'day', description: 'Home page' }), { epsilon: isMore ? 1 : 4, renew: 'year' }),
    ...event,
    ...many,
  },
});
// No timer of a second and more: it sends when the test says so.
const clock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, run) => {
    const timer = milliseconds < 1_000 ? setTimeout(run, milliseconds) : 0;
    return () => clearTimeout(timer);
  },
};
const endpoint: string = '/collector';
const options = { schema, segment: { platform: 'web' }, endpoint, clock } as const;
const telemetry = createTelemetry(asks.has('plain') ? options : withHistory(options));
const record = telemetry.record as (metric: string, value: unknown) => void;

document.getElementById('open')?.addEventListener('click', () => {
  const button = document.activeElement as HTMLElement;
  openInspector({ telemetry, schema, parent: document.querySelector('main'), onClose: () => button.focus() });
});
document.getElementById('answer')?.addEventListener('click', () => {
  record('dark', true);
  record('plan', 'pro');
  record('home', 'https://zephyrous.example');
  if (!asks.has('many')) return;
  record('startup', 120);
  record('country', 'CH');
  record('together', { plan: 'pro', dark: true });
  record('minutes', 20);
  record('notes', 3);
});
document.getElementById('send')?.addEventListener('click', () => void telemetry.flush());
