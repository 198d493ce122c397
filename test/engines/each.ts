/** The same tests for each engine, one engine after the other: two cores have no room for three browsers beside the other files' processes. */

import { describe, type ExpectStatic, expect, test } from 'vitest';
import type { Engine } from './engine.ts';
import { engines } from './engines.ts';

/** Declares a test of an engine. */
type Declare = (name: string, run: (context: { readonly expect: ExpectStatic }) => Promise<void>) => void;

const inOrder: Declare = (name, run) => test(name, () => run({ expect }));

/** Declares the same tests for each engine, or for some. */
export const inEachEngine = (declare: (engine: Engine, test: Declare) => void, of: readonly Engine[] = engines): void =>
  describe.each(of)('$name', (engine) => declare(engine, inOrder));
