/** What `murmuration decode` prints for people. */

import type { Decoded } from '../decoding/decode/evidence.ts';
import { table } from './table.ts';

/** The numbers about a whole decode, as `--json` prints them. */
export interface Summary {
  readonly reports: number;
  readonly candidates: number;
  /** Candidates of the lists that were left out. */
  readonly leftOut: number;
  readonly reported: number;
  /** Candidates that no reports tell from another one (twins.ts). They are never reported. */
  readonly indistinguishable: number;
  readonly fdr: number;
  readonly outcome: Decoded['outcome'];
  /** The share of the reports that no reported string explains, and its standard error. */
  readonly unexplained: number;
  readonly unexplainedError: number;
  /** What the shares of the whole distribution leave over: strings that are no candidates, and whatever is too rare to place. */
  readonly leftOver: number;
  /** A string with this share of the reports is reported half of the time. */
  readonly detectable: number;
  readonly seconds: number;
  readonly peakRssMb: number;
}

const MOST_ROWS = 40;

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;

/** With commas. Loading the data for `toLocaleString` takes longer than a fit of few candidates. */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

const small = (q: number): string => (q < 0.001 ? q.toExponential(1) : q.toPrecision(2));

const OUTCOMES: { readonly [O in Decoded['outcome']]: string | undefined } = {
  decoded: undefined,
  overloaded:
    'overloaded: more strings are frequent than the bits can tell apart, so few are reported and errors are rough; more cohorts help',
  'not-enough-data': 'not enough data: even a string that every report has would not be told from noise',
};

/** The summary, then the most frequent of the reported strings: of each the middle of what its share can be, which lies in its interval. */
export function describe(summary: Summary, names: readonly string[], { reported, typical, low, high, qValue }: Decoded): string {
  const found = [...names.keys()].filter((v) => reported[v] === 1).sort((a, b) => (typical[b] as number) - (typical[a] as number) || a - b);
  const rows = found
    .slice(0, MOST_ROWS)
    .map((v) => [names[v] as string, ...[typical, low, high].map((values) => percent(values[v] as number)), small(qValue[v] as number)]);
  const warning = OUTCOMES[summary.outcome];
  return [
    `reports      ${grouped(summary.reports)}`,
    `candidates   ${grouped(summary.candidates)}`,
    `reported     ${grouped(summary.reported)}, of which on average ${percent(summary.fdr)} at most are not there`,
    `unexplained  ${percent(summary.unexplained)} of the reports come from none of the reported strings (standard error ${percent(summary.unexplainedError)})`,
    `left over    ${percent(summary.leftOver)} of the whole distribution: strings that are no candidates, and whatever is too rare to place`,
    `detectable   a string with ${percent(summary.detectable)} of the reports is reported half of the time`,
    ...(summary.indistinguishable === 0
      ? []
      : [
          `${summary.indistinguishable} candidates set the same bits as another one, are never reported, and have in --all the share of both together`,
        ]),
    ...(warning === undefined ? [] : [warning]),
    ...(rows.length === 0 ? [] : ['', table(['string', 'share', '95 % from', 'to', 'q'], rows)]),
    ...(found.length > rows.length ? [`... and ${found.length - rows.length} more, which --out writes`] : []),
  ].join('\n');
}
