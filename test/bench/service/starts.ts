/** How long a collector takes until it is ready, with few metrics and with thousands. */

import { choice, defineSchema, flag } from '@murmuration/client';
import type { SchemaDocument } from '@murmuration/shared';
import { median } from '../../kit/quantile.ts';
import { withFolder } from '../ingest/process.ts';
import type { Line } from '../lines.ts';
import { serve } from './process.ts';

/** A schema with so many metrics. Its document is made from two, because the client is not made for as many. */
function schemaOf(count: number): SchemaDocument {
  const few = defineSchema({
    app: 'many',
    version: 1,
    budget: { epsilon: count + 1, per: 'month' },
    metrics: {
      flag: flag({ epsilon: 1, description: 'Is it on?' }),
      choice: choice(['a', 'b', 'c'], { epsilon: 1, description: 'Which one?' }),
    },
  }).document;
  const names = Object.keys(few.metrics);
  const repeat = <T>(each: { readonly [name: string]: T }): { readonly [name: string]: T } =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`metric${i}`, each[names[i % names.length] as string] as T]));
  return { ...few, metrics: repeat(few.metrics), about: { ...few.about, ...repeat(few.about) } };
}

/** Seconds until `/readyz` answers 200, in a new folder and then on the store that is there. */
async function starts(schema: SchemaDocument, repeats: number): Promise<readonly [fresh: number, again: number]> {
  return withFolder(async (folder) => {
    const all: number[] = [];
    for (let i = 0; i <= repeats; i++) {
      const from = performance.now();
      const service = await serve(folder, schema);
      for (let status = 0; status !== 200; ) status = (await fetch(`${service.url}/readyz`)).status;
      all.push((performance.now() - from) / 1_000);
      await service.stop();
    }
    const [fresh = Number.NaN, ...again] = all;
    return [fresh, median(again)];
  });
}

/** Starts with two metrics, and with so many. */
export async function startLines({ metrics, repeats }: { readonly metrics: number; readonly repeats: number }): Promise<readonly Line[]> {
  const [fresh, again] = await starts(schemaOf(2), repeats);
  const [manyFresh, manyAgain] = await starts(schemaOf(metrics), repeats);
  return [
    { what: 'ready with 2 metrics, in a new folder', measured: fresh, unit: 's' },
    { what: 'ready with 2 metrics, on an existing store', measured: again, unit: 's', target: { atMost: 1 } },
    { what: `ready with ${metrics} metrics, in a new folder`, measured: manyFresh, unit: 's', target: { atMost: 3 } },
    { what: `ready with ${metrics} metrics, on an existing store`, measured: manyAgain, unit: 's', target: { atMost: 3 } },
  ];
}
