/** The behaviours in Node, from the sources. */

import { memoryStorage } from '@murmuration/client';
import { test } from 'vitest';
import { behaviours, trace } from './behaviours.ts';

behaviours(test, { storage: memoryStorage, hasEntropy: true, trace: await trace() });
