/** A small app in two versions, and rows of its table. */

import { choice, defineSchema, flag } from '@murmuration/client';
import { wireName } from '@murmuration/shared';
import { createCatalog } from '#collector/schemas/catalog.ts';

const ask = { epsilon: 1, every: 'day', description: 'a question' } as const;
const budget = { epsilon: 100, per: 'month' } as const;

const first = defineSchema({
  app: 'notes',
  version: 1,
  budget,
  segments: { platform: ['web', 'ios'] },
  metrics: { plan: choice(['a', 'b'], ask), dark: flag(ask) },
});

export const second = defineSchema({
  app: 'notes',
  version: 2,
  budget,
  segments: { platform: ['web', 'ios', 'android'], cores: ['1', '2', '4', '8'] },
  metrics: { plan: choice(['a', 'b'], ask), dark: flag(ask), size: choice(['s', 'm'], ask) },
});

export const catalog = createCatalog([first.document, second.document]);
export const wires: readonly [string, string] = [wireName(first.document), wireName(second.document)];
