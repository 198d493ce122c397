/** What the benchmark's devices are asked: ten questions as products ask them. */

import { choice, defineSchema, flag, histogram, longList, mean, text } from '@murmuration/client';

const list = (size: number): string[] => Array.from({ length: size }, (_, i) => `answer ${i}`);
const of = (description: string): { readonly epsilon: 1; readonly description: string } => ({ epsilon: 1, description });

export const schema = defineSchema({
  app: 'bench',
  version: 1,
  budget: { epsilon: 10, per: 'month' },
  segments: { platform: ['web', 'ios', 'android', 'windows', 'macos', 'linux', 'tv', 'watch'] },
  metrics: {
    browser: choice(list(13), of('Which browser?')),
    country: choice(list(60), of('Which country?')),
    dark: flag(of('Is dark mode on?')),
    load: mean([0, 10_000], of('How long does a page take to load?')),
    page: choice(list(128), { ...of('Which page is used most?'), mechanism: longList() }),
    plan: choice(['free', 'pro', 'team'], of('Which plan?')),
    search: text({ ...of('What is searched for?') }),
    start: histogram([0, 100, 300, 1_000, 3_000], of('How long does a start take?')),
    sync: flag(of('Is sync on?')),
    theme: choice(list(6), of('Which theme?')),
  },
});
