/**
 * A process that works on a store and can be killed at any step: it says each step on a line before it takes it, and after
 * it is done. Arguments: the engine's file, the location.
 */

import { writeSync } from 'node:fs';
import type { Engine } from './engine.ts';
import { DAY, entry, shapes } from './entries.ts';

const [file = '', location = ''] = process.argv.slice(2);
const { engine } = (await import(file)) as { readonly engine: Engine };
const say = (line: string): unknown => writeSync(1, `${line}\n`);

say('open');
const store = await engine.open(location, shapes);
say('opened');
for (let step = 0; step < 6; step++) {
  say(`append ${step}`);
  const names = [0, 1, 2].map((part) => `${step}.${part}`);
  await Promise.all(names.map((name) => store.append(entry(name)).then(() => say(`done ${name}`))));
  if (step !== 3) continue;
  say('expire');
  await store.expire(DAY - 10);
  say('expired');
}
say('close');
await store.close();
say('closed');
