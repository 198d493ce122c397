/**
 * The costs of the simulation, from two measurements: one with few clients, whose flushes are small, and one with many. What a batch and a
 * flush cost solves two equations, B batches and F flushes of each run: processor seconds = B * batch + F * flush.
 */

import type { Costs } from './fleet.ts';
import type { Measured } from './measure.ts';

/** The cost of a batch and of a flush. Neither is below 0: then all of it is the other's. */
export function solve(
  few: readonly [batches: number, flushes: number, used: number],
  many: readonly [batches: number, flushes: number, used: number],
): readonly [batch: number, flush: number] {
  const determinant = few[0] * many[1] - few[1] * many[0];
  const batch = (few[2] * many[1] - few[1] * many[2]) / determinant;
  const flush = (few[0] * many[2] - few[2] * many[0]) / determinant;
  if (batch < 0) return [0, (few[2] + many[2]) / (few[1] + many[1])];
  if (flush < 0) return [(few[2] + many[2]) / (few[0] + many[0]), 0];
  return [batch, flush];
}

/** The costs. */
export function calibrate(few: Measured, many: Measured): Costs {
  const of = (part: 'collector' | 'database' | 'client'): readonly [number, number] =>
    solve([few.batches, few.flushes, few[part]], [many.batches, many.flushes, many[part]]);
  const [collectorBatch, collectorFlush] = of('collector');
  const [databaseBatch, databaseFlush] = of('database');
  const clientBatch = (few.client + many.client) / (few.batches + many.batches);
  return { collectorBatch, collectorFlush, databaseBatch, databaseFlush, clientBatch, commit: Math.min(few.commit, many.commit), read: 0 };
}
