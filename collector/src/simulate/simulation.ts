/** What every simulation is told. */

/** Seeded rounds of clients whose true answers are drawn from shares. */
export interface Simulation {
  readonly epsilon: number;
  /** The chooser decides when left out. */
  readonly mechanism?: string;
  readonly clients: number;
  readonly shares: readonly number[];
  readonly rounds: number;
  readonly seed: number;
}

/** The mean of rounds. */
export const averageOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
