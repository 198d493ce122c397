/** The behaviours in Hermes, which prints what came of them. `TRACE` is put in when this is bundled. */

import { memoryStorage } from '@murmuration/client';
import { behaviours } from './behaviours.ts';
import { run } from './run.ts';

declare const TRACE: string;
declare const print: (line: string) => void;

run((test) => behaviours(test, { storage: memoryStorage, hasEntropy: false, trace: TRACE })).then(
  (results) => print(JSON.stringify(results)),
  (error: unknown) => print(String(error)),
);
