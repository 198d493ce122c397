/** What every simulation is told. */

/** Seeded rounds of clients whose true answers are drawn from shares. */
export interface Simulation {
  readonly epsilon: number;
  /** The chooser decides when left out. */
  readonly mechanism?: string;
  /** ε∞ of a permanent metric. */
  readonly permanent?: number;
  /** On how many days each client reports: 1 unless the metric is permanent. */
  readonly days?: number;
  readonly clients: number;
  readonly shares: readonly number[];
  readonly rounds: number;
  readonly seed: number;
}

/** The mean of rounds. */
export const averageOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** Squared errors over rounds: their mean, its standard error (null of one round), and what theory says. */
export interface Errors {
  readonly mse: number;
  readonly mseStandardError: number | null;
  readonly theoryMse: number;
  readonly coverage95: number;
}

/** What one round adds to these. */
export interface RoundErrors {
  readonly squaredError: number;
  readonly theory: number;
  /** The part of the truths that intervals hold. */
  readonly covered: number;
}

/** The errors of rounds. */
export function errorsOf(rounds: readonly RoundErrors[]): Errors {
  const mse = averageOf(rounds.map(({ squaredError }) => squaredError));
  const spread = rounds.reduce((sum, { squaredError }) => sum + (squaredError - mse) ** 2, 0);
  return {
    mse,
    mseStandardError: rounds.length > 1 ? Math.sqrt(spread / (rounds.length - 1) / rounds.length) : null,
    theoryMse: averageOf(rounds.map(({ theory }) => theory)),
    coverage95: averageOf(rounds.map(({ covered }) => covered)),
  };
}

/** Of a permanent metric: ε∞, and the errors of the estimate from all days together. */
export interface PermanentErrors {
  readonly permanent: number;
  readonly days: number;
  readonly allDays: Errors;
}

/** These of rounds that have them; nothing where the metric is not permanent. */
export const permanentErrors = ({ permanent, days = 1 }: Simulation, rounds: readonly RoundErrors[]): PermanentErrors | object =>
  permanent === undefined ? {} : { permanent, days, allDays: errorsOf(rounds) };
