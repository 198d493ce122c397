/** Which strings are in the reports of a metric that lists none: a search of its tallies, as plain data. */

import type { PrefixHashingLaw } from '@murmuration/shared';
import type { Told } from '../decoding/discovery/discover.ts';
import { discover } from '../decoding/discovery/discover.ts';
import type { Step } from '../decoding/discovery/select.ts';
import { watchOf } from '../estimation/watch/watch.ts';
import { aboutOf } from './about.ts';
import { basisOf } from './basis.ts';
import type { DecodedString, MetricStrings } from './decoded-strings.ts';
import type { DecodeRequest } from './decoding.ts';
import { type SearchOutcome, searchedInWords } from './decoding-words.ts';

/** All input of a search. Candidates are strings that are wanted whether they are found or not. */
export interface SearchRequest extends Pick<DecodeRequest, 'metric' | 'evidence' | 'minimum' | 'fdr' | 'all' | 'shares'> {
  readonly law: PrefixHashingLaw;
  readonly candidates: readonly string[];
  readonly onStep?: (step: Step) => void;
}

function rowOf({ text, isCut, ...numbers }: Told, isFound: boolean, { shares }: SearchRequest): DecodedString {
  // The shares of whole strings are wrong for a string that may go on.
  const truth = shares && !isCut && { truth: Object.hasOwn(shares, text) ? (shares[text] as number) : 0 };
  return { answer: text, label: text, isFound, ...(isCut && { isCut }), ...numbers, ...truth };
}

/** Searches. */
export function searchStrings(request: SearchRequest): { readonly fields: MetricStrings; readonly strings: readonly DecodedString[] } {
  const { law, minimum, fdr, all, candidates, onStep } = request;
  const { tallies, reports, ones } = request.evidence;
  const { perDevice, people } = basisOf(request.metric.document, request.evidence, 'population');
  const ended = (outcome: SearchOutcome, found: number): MetricStrings => ({
    ...aboutOf(request),
    fdr,
    candidates: candidates.length,
    found,
    outcome,
    meaning: searchedInWords(outcome, { reports, minimum, fdr, found }),
    indistinguishable: 0,
    watch: watchOf(law, tallies, ones, perDevice),
  });
  if (reports < minimum || reports === 0) return { fields: ended('too-few-reports', 0), strings: [] };
  const found = discover(law, tallies, { rate: fdr, people, candidates: all ? candidates : [], onStep });
  const { strings, others, unexplained, detectable } = found;
  if (strings.length === 0 && detectable >= 1) return { fields: ended('not-enough-data', 0), strings: [] };
  return {
    fields: { ...ended('decoded', strings.length), unexplained, detectable },
    strings: [...strings.map((each) => rowOf(each, true, request)), ...others.map((each) => rowOf(each, false, request))],
  };
}
