/** Latencies as a histogram of bins that grow by 2 %, so that any number of them takes the same memory. */

const LEAST = 1e-5;
const GROWTH = Math.log(1.02);

export class Latencies {
  readonly #bins: number[] = [];
  count = 0;

  add(seconds: number, count = 1): void {
    const bin = Math.max(0, Math.ceil(Math.log(Math.max(seconds, LEAST) / LEAST) / GROWTH));
    this.#bins[bin] = (this.#bins[bin] ?? 0) + count;
    this.count += count;
  }

  /** The latency that a share q lies at or below, in seconds; `NaN` without any. */
  quantile(q: number): number {
    let left = q * this.count;
    for (const [bin, count = 0] of this.#bins.entries()) {
      left -= count;
      if (left <= 0 && this.count > 0) return LEAST * Math.exp(bin * GROWTH);
    }
    return Number.NaN;
  }
}
