/** What `murmuration decode` decodes, and how it is read from files in google/rappor's formats. */

import { UsageError } from '../base/fault.ts';
import { decode } from '../decoding/decode/decode.ts';
import type { CellCounts, CellMap, Decoded } from '../decoding/decode/evidence.ts';
import { readCounts, readMap, readParams } from './rappor-files/inputs.ts';

/** What is decoded. */
export interface Source {
  readonly counts: CellCounts;
  /** Undefined for single bits. */
  readonly map: CellMap | undefined;
  /** The candidates' strings. */
  readonly names: readonly string[];
  readonly reports: number;
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
  return { counts, reports, map: undefined, names: BOOLEAN, leftOut: [] };
}

/**
 * Reports of a single bit, which need no map: TRUE sets the bit and FALSE does not. Each is decoded alone, FALSE from the reports without
 * the bit, at half of the false discovery rate (Bonferroni).
 */
export const BOOLEAN: readonly string[] = ['TRUE', 'FALSE'];

const within = (share: number): number => Math.min(1, Math.max(0, share));

/** Decodes TRUE and FALSE, in this order. */
export function decodeBoolean(counts: CellCounts, fdr: number): Decoded {
  const { cohorts, reports, inside, outside } = counts;
  const map = { candidates: 1, hashes: 1, places: new Uint16Array(cohorts) };
  const zeros = counts.counts.map((count, cohort) => (reports[cohort] as number) - count);
  const yes = decode({ counts, map, fdr: fdr / 2 });
  const no = decode({ counts: { ...counts, counts: zeros, inside: 1 - outside, outside: 1 - inside }, map, fdr: fdr / 2 });
  const both = (name: 'estimate' | 'standardError' | 'typical' | 'low' | 'high' | 'pValue' | 'qValue'): Float64Array =>
    Float64Array.of(yes[name][0] as number, no[name][0] as number);
  const reported = Uint8Array.of(yes.reported[0] as number, no.reported[0] as number);
  const share = within(yes.estimate[0] as number);
  return {
    ...yes,
    outcome: yes.outcome === 'not-enough-data' ? no.outcome : yes.outcome,
    reported,
    estimate: both('estimate'),
    standardError: both('standardError'),
    typical: both('typical'),
    low: both('low'),
    high: both('high'),
    pValue: both('pValue'),
    qValue: both('qValue').map((q) => Math.min(1, 2 * q)),
    unexplained: within(1 - both('typical').reduce((sum, typical, i) => sum + typical * (reported[i] as number), 0)),
    distribution: Float64Array.of(share, 1 - share),
    other: 0,
  };
}
