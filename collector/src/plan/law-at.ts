/** The law that a metric would have at another ε, derived in the way in which its own was. */

import {
  canonicalJson,
  cellsOf,
  countLaw,
  countMeanSketchLaw,
  type DistributionLaw,
  dBitFlipLaw,
  distributionLaw,
  exponentialLaw,
  geometricLaw,
  hadamardCountMeanSketchLaw,
  hadamardLaw,
  hierarchicalLaw,
  hybridMeanLaw,
  type Json,
  type Law,
  type ListLaw,
  laplaceLaw,
  listLaw,
  localHashingLaw,
  longListLaw,
  type MetricDocument,
  meanLaw,
  oneBitLaw,
  permanentListLaw,
  piecewiseLaw,
  projectiveLaw,
  rapporLaw,
  setLaw,
  squareWaveLaw,
  steppedLaw,
  stringHashingLaw,
  symmetricUnaryLaw,
  unaryLaw,
} from '@murmuration/shared';

/** From ε to a law. */
type Way = (epsilon: number) => Law;

/** What a law comes from besides ε. */
interface Origin {
  readonly metric: MetricDocument;
  /** ε∞ of a permanent metric. */
  readonly permanent: number | undefined;
  /** How many devices are expected. */
  readonly devices: number;
}

/** With `longList()` and without it: a document holds only what came of either. */
const chosenList = ({ size }: ListLaw, { permanent }: Origin): readonly Way[] =>
  permanent === undefined ? [(e) => longListLaw(size, e), (e) => listLaw(size, e)] : [(e) => permanentListLaw(size, e, permanent)];

const chosenNumber = ({ metric }: Origin): Way => (metric.type === 'count' ? (e) => countLaw(metric.max, e) : meanLaw);

const chosenDistribution =
  (law: DistributionLaw): Way =>
  (e) =>
    distributionLaw(cellsOf(law), e);

/** The ways to a law of each mechanism: the chooser's where it has one, then by name, without and with parameters. */
const ways: { readonly [M in Law['mechanism']]: (law: Extract<Law, { mechanism: M }>, origin: Origin) => readonly Way[] } = {
  'k-ary': chosenList,
  subset: chosenList,
  unary: (law, origin) => [
    ...chosenList(law, origin),
    (e) => unaryLaw(law.size, e, origin.permanent),
    (e) => symmetricUnaryLaw(law.size, e, origin.permanent),
  ],
  'local-hashing': ({ size, buckets }, { permanent }) => [
    ...(permanent === undefined ? [(e: number) => longListLaw(size, e)] : []),
    (e) => localHashingLaw(size, e, permanent),
    (e) => localHashingLaw(size, e, permanent, buckets),
  ],
  hadamard: ({ size, order }) => [(e) => hadamardLaw(size, e), (e) => hadamardLaw(size, e, order)],
  projective: ({ size, order }) => [(e) => projectiveLaw(size, e), (e) => projectiveLaw(size, e, order)],
  'count-mean-sketch': ({ size, bits }, { permanent }) => [
    (e) => countMeanSketchLaw(size, e, permanent),
    (e) => countMeanSketchLaw(size, e, permanent, bits),
  ],
  'hadamard-count-mean-sketch': ({ size, buckets }) => [
    (e) => hadamardCountMeanSketchLaw(size, e),
    (e) => hadamardCountMeanSketchLaw(size, e, buckets),
  ],
  'd-bit-flip': ({ size, bits }, { permanent }) => [(e) => dBitFlipLaw(size, bits, e, permanent)],
  privset: ({ size, atMost }) => [(e) => setLaw(size, atMost, e)],
  exponential: (_law, { metric }) => (metric.type === 'best' ? [(e) => exponentialLaw(metric.utility, e)] : []),
  rappor: (_law, { devices, permanent }) => [(e) => rapporLaw(e, devices, permanent)],
  'string-hashing': (_law, { devices, permanent }) => [(e) => stringHashingLaw(e, devices, permanent)],
  scored: (_law, origin) => [chosenNumber(origin)],
  piecewise: () => [(e) => piecewiseLaw(1, 1, e), steppedLaw],
  hybrid: () => [hybridMeanLaw],
  laplace: ({ tails }) => [(e) => laplaceLaw(e, tails.length)],
  geometric: ({ tails }) => [(e) => geometricLaw(tails.length, e)],
  'one-bit': (_law, { permanent }) => (permanent === undefined ? [] : [(e) => oneBitLaw(e, permanent)]),
  'square-wave': (law) => [chosenDistribution(law), (e) => squareWaveLaw(cellsOf(law), e)],
  hierarchical: (law) => [chosenDistribution(law), (e) => hierarchicalLaw(law.size, e), (e) => hierarchicalLaw(law.size, e, law.branching)],
};

/** Where 32 bits hold none there is no law. */
function lawOf(way: Way, epsilon: number): Law | undefined {
  try {
    return way(epsilon);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * From ε to the law of a metric; undefined where 32 bits hold none, and where the metric's own law came from an expert's
 * parameters, which have no other ε.
 */
export function lawsAt(metric: MetricDocument, devices: number): (epsilon: number) => Law | undefined {
  const { law, epsilon } = metric;
  const own = canonicalJson(law as unknown as Json);
  const isOwn = (way: Way): boolean => {
    const found = lawOf(way, epsilon);
    return found !== undefined && canonicalJson(found as unknown as Json) === own;
  };
  const origin = { metric, permanent: metric.permanent?.epsilon, devices };
  const way = (ways[law.mechanism] as (law: Law, origin: Origin) => readonly Way[])(law, origin).find(isOwn);
  return (at) => way && lawOf(way, at);
}
