/** Source of `murmuration decode`, and its reading from files in google/rappor's formats. */

import type { ExcludedDays } from '../answers/estimates.ts';
import { UsageError } from '../base/fault.ts';
import { SINGLE_BIT } from '../decoding/decode/decode.ts';
import type { CellCounts, CellMap } from '../decoding/decode/evidence.ts';
import type { Estimate } from '../estimation/estimate.ts';
import { readCounts, readMap, readParams } from './rappor-files/inputs.ts';

/** Source of a decode. */
export interface Source {
  readonly counts: CellCounts;
  /** Undefined for single bits. */
  readonly map: CellMap | undefined;
  /** The shares of the candidates, where devices repeat stored symbols. */
  readonly shares?: readonly Estimate[] | undefined;
  /** The candidates' strings. */
  readonly names: readonly string[];
  readonly reports: number;
  /** Days of a store that were left out. */
  readonly excluded?: readonly ExcludedDays[];
  /** Lines about candidates that were left out. */
  readonly leftOut: readonly string[];
}

/** The files of google/rappor. */
export interface RapporFiles {
  readonly params: string;
  readonly counts: string;
  /** May be missing where a report is a single bit. */
  readonly map: string | undefined;
}

/** Reads files of google/rappor. @throws {UsageError} that names file and line */
export async function rapporSource(files: RapporFiles): Promise<Source> {
  const params = await readParams(files.params);
  const counts = await readCounts(files.counts, params);
  const reports = counts.reports.reduce((sum, own) => sum + own, 0);
  if (files.map !== undefined) return { counts, reports, ...(await readMap(files.map, params)), leftOut: [] };
  if (params.bits > 1) throw new UsageError(`--map: expected the map of the candidates, as reports have ${params.bits} bits, got none`);
  return { counts, reports, map: undefined, names: SINGLE_BIT, leftOut: [] };
}
