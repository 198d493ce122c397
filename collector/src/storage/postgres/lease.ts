/**
 * Leases on rows of tables: one collector has the row for a while, and prolongs that while it works, so another takes over from a collector
 * that is gone. A random claim names the holder. Only the database's clock counts. (Releases can't be leased: their claims are charges in
 * the ledger, which stay; release/claims.ts.)
 */

/** The columns of a table with leases, and how long one holds. */
interface LeaseOptions {
  /** The columns of the key, which are the first parameters of each statement; the claim is the next. */
  readonly key: readonly string[];
  /** The column with the time until which a row is held. */
  readonly until: string;
  readonly seconds: number;
}

/** The conditions and the value of a lease, as SQL. */
interface Lease {
  readonly ofKey: string;
  /** The row, while this claim has it or had it last. */
  readonly ofClaim: string;
  readonly isFree: string;
  readonly isHeld: string;
  /** The time until which a row is held that is claimed or prolonged now. */
  readonly end: string;
}

/** The leases of a table. */
export function leaseOn({ key, until, seconds }: LeaseOptions): Lease {
  const ofKey = key.map((column, i) => `${column} = $${i + 1}`).join(' AND ');
  return {
    ofKey,
    ofClaim: `${ofKey} AND claim = $${key.length + 1}`,
    isFree: `${until} <= now()`,
    isHeld: `${until} > now()`,
    end: `now() + interval '${seconds} seconds'`,
  };
}

/** A new claim. */
export const newClaim = (): string => crypto.randomUUID();

/** Works, and prolongs the lease every so many milliseconds meanwhile. A prolongation that fails is left to the next. */
export async function whileHeld<T>(prolong: () => Promise<unknown>, every: number, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void prolong().catch(() => undefined), every);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
