/** Tests of all engines side by side, for browsers wait more than they work: those of one engine run one after the other. */

import { describe, type ExpectStatic, test } from 'vitest';
import type { Engine } from './engine.ts';
import { engines } from './engines.ts';

/** Declares a test of an engine. Its expectations are the context's own, which tell tests apart that run at the same time. */
type Declare = (name: string, run: (context: { readonly expect: ExpectStatic }) => Promise<void>) => void;

const inOrder: Declare = (name, run) => test(name, { concurrent: false }, ({ expect }) => run({ expect }));

/** Declares the same tests for each engine. */
export const inEachEngine = (declare: (engine: Engine, test: Declare) => void): void =>
  describe.concurrent.each(engines)('$name', (engine) => declare(engine, inOrder));
