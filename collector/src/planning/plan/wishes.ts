/**
 * The smallest budget with which the estimates of a schema are as precise as wished.
 *
 * With all devices asked everything, the programme is: minimize Σ t_i ε_i subject to m_i(ε_i) ≤ w_i for each question i, where t_i is the number
 * of its charges in a window, m_i(ε) the half of its 95 % interval with the reports of all devices, and w_i the wish. Each m_i falls with ε,
 * so each constraint is a half-line ε_i ≥ ε_i*, and their product is convex. Each constraint holds one variable and the objective rises
 * in all of them. So the minimum is its only vertex, (ε_1*, ε_2*, …), and a bisection of each question finds it.
 *
 * With `assign: 'random'` devices share the questions instead. Let all m questions have the same charge c, and the budget be k c. A device
 * takes the first k of its random order (`assigned`), so each question has N k / m reports, exactly in expectation. The smallest such c is the
 * largest t_i ε_i*(N k / m), and k is found by trying all. While noise prevails, ε_i* falls like 1 / √n, so that k c is about √(k m) c: few
 * questions of each device need the smallest budget.
 */

import { chargesOf, fits, type MetricDocument, type SchemaDocument, sumOf } from '@murmuration/shared';
import { epsilonFor, type Wanted } from './plan.ts';

/** A question with its wish. */
interface Wished extends Wanted {
  readonly metric: string;
  /** The ε of one report in the schema. */
  readonly epsilon: number;
  /** The least that meets the wish, to a hundredth; null when none does. */
  readonly needed: number | null;
  /** How often a window is charged with it. */
  readonly times: number;
}

/** All questions with the same charge, of which each device answers a random part. */
interface Shared {
  /** How many of the questions each device is asked. */
  readonly questions: number;
  readonly of: number;
  /** The charge of each question in a window. */
  readonly charge: number;
  readonly budget: number;
}

/** The cost of wishes. */
export interface Wishes {
  readonly devices: number;
  /** The schema's budget. */
  readonly budget: SchemaDocument['budget'];
  readonly metrics: readonly Wished[];
  /** The charges of the questions without a wish, as they are. */
  readonly others: number;
  /** The smallest budget in which all devices are asked everything; null when some wish can't be met. */
  readonly needed: number | null;
  /** True if it fits in the schema's budget. */
  readonly isWithin: boolean;
  /** The smallest budget of devices that share the questions, where every question has a wish; null when some wish can't be met so. */
  readonly shared: Shared | null;
}

/** Rounded up to the next hundredth, in which ε are searched. Sums of doubles are a little off. */
const upToHundredths = (epsilon: number): number => Math.ceil(100 * epsilon - 1e-6) / 100;

/**
 * Computes the cost of wishes.
 *
 * @param wishes by the name of the metric
 * @param devices how many devices report in each slot
 * @throws {RangeError} when the schema has no such metric
 */
export function wishesOf(document: SchemaDocument, wishes: ReadonlyMap<string, Wanted>, devices: number): Wishes {
  const { metrics, budget } = document;
  const charges = new Map(chargesOf(metrics, budget.per).map((each) => [each.metric, each]));
  for (const name of wishes.keys())
    if (!charges.has(name)) throw new RangeError(`wishes: expected metrics of the schema, got ${JSON.stringify(name)}`);
  const neededWith = (name: string, wish: Wanted, reports: number): number | null =>
    epsilonFor(metrics[name] as MetricDocument, reports, wish, document.devices);
  // The ε∞ of a permanent metric is charged, whatever the ε of its reports.
  const chargeAt = (name: string, epsilon: number): number => {
    const { times, charge } = charges.get(name) as { readonly times: number; readonly charge: number };
    return metrics[name]?.permanent ? charge : times * epsilon;
  };
  const wished = [...wishes].map(([metric, wish]): Wished => {
    const { times } = charges.get(metric) as { readonly times: number };
    return { metric, ...wish, epsilon: (metrics[metric] as MetricDocument).epsilon, needed: neededWith(metric, wish, devices), times };
  });
  const others = sumOf([...charges.values()].filter(({ metric }) => !wishes.has(metric)).map(({ charge }) => charge));
  const each = wished.flatMap(({ metric, needed }) => (needed === null ? [] : [chargeAt(metric, needed)]));
  const needed = each.length < wished.length ? null : upToHundredths(sumOf([...each, others]));
  return {
    devices,
    budget,
    metrics: wished,
    others,
    needed,
    isWithin: needed !== null && fits([...each, others], budget.epsilon),
    shared: wishes.size === charges.size ? sharedBy([...wishes], devices, neededWith, chargeAt) : null,
  };
}

/** The best number of questions for each device. */
function sharedBy(
  wishes: readonly (readonly [string, Wanted])[],
  devices: number,
  neededWith: (name: string, wish: Wanted, reports: number) => number | null,
  chargeAt: (name: string, epsilon: number) => number,
): Shared | null {
  const all = wishes.map((_, i): Shared | null => {
    const questions = i + 1;
    const reports = Math.floor((devices * questions) / wishes.length);
    const charges = wishes.flatMap(([name, wish]) => {
      const epsilon = reports === 0 ? null : neededWith(name, wish, reports);
      return epsilon === null ? [] : [chargeAt(name, epsilon)];
    });
    if (charges.length < wishes.length) return null;
    const charge = upToHundredths(Math.max(...charges));
    return { questions, of: wishes.length, charge, budget: upToHundredths(questions * charge) };
  });
  return all.reduce((best, next) => (next !== null && (best === null || next.budget < best.budget) ? next : best), null);
}
