/** The decoding thread: answers each task in order. It tells how far it is, and gives away the map that it made. */

import { parentPort, workerData } from 'node:worker_threads';
import { isPrefixLaw, type StringLaw } from '@murmuration/shared';
import { serve } from '../base/threads.ts';
import type { CellMap } from '../decoding/decode/evidence.ts';
import type { Step } from '../decoding/discovery/select.ts';
import { openTallies } from '../storage/tallies.ts';
import { candidateAnswersOf, sharedMapOf } from './candidates.ts';
import type { DecodeNote, DecodeOrder, Progress } from './decoded-strings.ts';
import { decodeStrings, searchStrings } from './decoding.ts';
import { buffersOf, type PackedAnswer, pack } from './packed-answer.ts';
import type { EstimatesData } from './worker.ts';

const { source, candidates: lists } = workerData as EstimatesData;
const reader = openTallies(source);
/** Steps of a decode between two notes. A step of a short list takes a millisecond. */
const FEW = 8;

async function perform({ id, task, map }: DecodeOrder): Promise<PackedAnswer> {
  const note = (what: { readonly progress: Progress } | { readonly map: CellMap }): void =>
    parentPort?.postMessage({ id, ...what } satisfies DecodeNote);
  note({ progress: { stage: 'reading' } });
  const [{ metric, range }] = task.of;
  const { candidates = lists.get(metric.metric) ?? [], ...settings } = task.settings;
  const evidence = await reader.read({ schemas: metric.schemas, metric: metric.metric, ...range });
  const shares = task.shares && { shares: task.shares };
  const { law } = metric.document;
  if (isPrefixLaw(law)) {
    const onStep = (step: Step): void => note({ progress: { stage: 'searching', ...step } });
    const { fields, strings } = searchStrings({ ...settings, ...shares, metric, evidence, law, candidates, onStep });
    return pack('strings', strings, fields);
  }
  const answers = candidateAnswersOf(metric.document, candidates);
  const onStep = (steps: number): void => {
    if (steps % FEW === 0) note({ progress: { stage: 'decoding', candidates: answers.length, steps } });
  };
  const mapOf = (law: StringLaw): CellMap => {
    const texts = answers.map(({ text }) => text);
    const made = map ?? sharedMapOf(law, texts, (done) => note({ progress: { stage: 'hashing', done, candidates: texts.length } }));
    if (map === undefined) note({ map: made });
    onStep(0);
    return made;
  };
  const { fields, strings } = decodeStrings({ ...settings, ...shares, metric, evidence, answers, mapOf, onStep });
  return pack('strings', strings, fields);
}

serve(perform, buffersOf);
