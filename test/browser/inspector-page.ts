/** A page with the inspector, for inspector.test.ts: the collector takes everything. With `?event`, it asks about an event too. */

import { type Clock, choice, createTelemetry, defineSchema, flag, permanent, text } from '@murmuration/client';
import { openInspector } from '@murmuration/client/inspector';

const event =
  location.search === '?event'
    ? { printed: flag({ epsilon: 1, every: 'week', otherwise: false, description: 'Was anything printed this week?' }) }
    : {};
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 6 + 5 * Object.keys(event).length, per: 'month' },
  metrics: {
    dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, every: 'once', description: 'Which plan?' }),
    home: permanent(text({ epsilon: 1, every: 'day', description: 'Home page' }), { epsilon: 4, renew: 'year' }),
    ...event,
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
const telemetry = createTelemetry({ schema, endpoint: '/collector', clock });

document.getElementById('open')?.addEventListener('click', () => {
  const button = document.activeElement as HTMLElement;
  openInspector({ telemetry, schema, parent: document.querySelector('main'), onClose: () => button.focus() });
});
document.getElementById('answer')?.addEventListener('click', () => {
  telemetry.record('dark', true);
  telemetry.record('plan', 'pro');
  telemetry.record('home', 'https://zephyrous.example');
});
document.getElementById('send')?.addEventListener('click', () => void telemetry.flush());
