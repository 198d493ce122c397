/** The parameters of google/rappor: a file with the header k,h,m,p,q,f and one record. */

import { Records } from './records.ts';

/** The parameters of a RAPPOR client. */
export interface Params {
  /** k, the bits of a report. */
  readonly bits: number;
  /** h, the hashes of a string. */
  readonly hashes: number;
  /** m, the cohorts. */
  readonly cohorts: number;
  /** The probability that a report has a 1 for a stored bit that is 1. */
  readonly inside: number;
  /** The same for a stored bit that is 0. Below `inside`, unless the client sends its bits inverted. */
  readonly outside: number;
}

const HEADER = 'k,h,m,p,q,f';
const [MOST_BITS, MOST_HASHES, MOST_CELLS] = [65_535, 255, 2 ** 24];

function probability(records: Records, name: string): number {
  const text = records.text().trim();
  const value = text === '' ? Number.NaN : Number(text);
  if (!(value >= 0 && value <= 1)) throw records.error(`${name}, a probability from 0 to 1`, JSON.stringify(text));
  return value;
}

function read(records: Records): Params {
  const bits = records.whole('k, the bits', 1, MOST_BITS);
  const hashes = records.whole('h, the hashes', 1, MOST_HASHES);
  const cohorts = records.whole('m, the cohorts', 1, Math.floor(MOST_CELLS / bits));
  const [p, q, f] = [probability(records, 'p'), probability(records, 'q'), probability(records, 'f')];
  // A permanent bit keeps its value with probability 1 - f/2 (Erlingsson, Pihur, Korolova 2014, §2, steps 2 and 3).
  const [inside, outside] = [q * (1 - f / 2) + p * (f / 2), p * (1 - f / 2) + q * (f / 2)];
  if (inside === outside) throw records.error('reports that tell a 1 from a 0 (p other than q, f below 1)', `p ${p}, q ${q} and f ${f}`);
  records.end();
  return { bits, hashes, cohorts, inside, outside };
}

/** Reads the parameters. @throws {UsageError} when the file holds others */
export async function readParams(file: string): Promise<Params> {
  const records = new Records(file);
  let params: Params | undefined;
  let isBegun = false;
  while (await records.load()) {
    if (!isBegun && records.next(6)) {
      const names = Array.from({ length: 6 }, () => records.text());
      if (names.join() !== HEADER) throw records.error(`the header ${HEADER}`, names.join());
      records.end();
      isBegun = true;
    }
    while (records.next(6)) {
      if (params !== undefined) throw records.error('the end of the file', 'more parameters');
      params = read(records);
    }
  }
  if (params === undefined) throw records.error(isBegun ? 'a line of parameters' : `the header ${HEADER}`, 'the end of the file');
  return params;
}
