/**
 * Finite fields GF(q). For a prime they use remainders, for a prime power p^e the powers of an element x. An element of GF(p^e) is a whole
 * number below q; its base-p digits are the coefficients of a polynomial in x, lowest first.
 */

/** The largest order of a field that is a proper prime power: such fields use tables. */
const MOST_POWERS = 1024;
/** The limit on prime orders. Products of two elements are exact in doubles below it. */
const MOST_PRIME = 2 ** 26;

/** GF(q); elements are 0 .. q - 1. */
export interface Field {
  readonly order: number;
  readonly add: (a: number, b: number) => number;
  readonly negative: (a: number) => number;
  readonly multiply: (a: number, b: number) => number;
  /** The inverse of a non-zero element. */
  readonly inverse: (a: number) => number;
}

/** True if a whole number from 2 on is prime. */
export function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false;
  return true;
}

/** The least prime that divides a small number, from 2 on. */
function leastPrime(n: number): number {
  let divisor = 2;
  while (n % divisor !== 0) divisor++;
  return divisor;
}

/** True if a field of that order is available: primes below 2^26, and prime powers up to 1024. */
export function isFieldOrder(order: number): boolean {
  if (!(Number.isInteger(order) && order >= 2 && order < MOST_PRIME)) return false;
  if (isPrime(order)) return true;
  if (order > MOST_POWERS) return false;
  const prime = leastPrime(order);
  let rest = order;
  while (rest % prime === 0) rest /= prime;
  return rest === 1;
}

function primeField(p: number): Field {
  const multiply = (a: number, b: number): number => (a * b) % p;
  return {
    order: p,
    add: (a, b) => (a + b) % p,
    negative: (a) => (p - a) % p,
    multiply,
    // a^(p-2), by Fermat.
    inverse: (a) => {
      let [result, square] = [1, a];
      for (let exponent = p - 2; exponent > 0; exponent = Math.floor(exponent / 2)) {
        if (exponent % 2 === 1) result = multiply(result, square);
        square = multiply(square, square);
      }
      return result;
    },
  };
}

/** GF(p^e). x^e is chosen as the least element for which the powers of x run through all non-zero elements. */
function powerField(q: number, p: number): Field {
  const top = q / p;
  const digitwise =
    (of: (a: number, b: number) => number) =>
    (a: number, b: number): number => {
      let result = 0;
      for (let unit = 1; unit < q; unit *= p) result += of(Math.floor(a / unit) % p, Math.floor(b / unit) % p) * unit;
      return result;
    };
  const add = p === 2 ? (a: number, b: number) => a ^ b : digitwise((a, b) => (a + b) % p);
  const subtract = p === 2 ? add : digitwise((a, b) => (a - b + p) % p);
  const powers: number[] = [];
  const logarithms: number[] = [];
  for (let reduced = 1; powers.length < q - 1; reduced++) {
    powers.length = 0;
    let power = 1;
    do {
      powers.push(power);
      const lead = Math.floor(power / top);
      power = (power - lead * top) * p;
      for (let i = 0; i < lead; i++) power = add(power, reduced);
    } while (power > 1 && powers.length < q - 1);
    if (power !== 1) powers.length = 0;
  }
  powers.forEach((power, exponent) => {
    logarithms[power] = exponent;
  });
  const toPower = (exponent: number): number => powers[exponent % (q - 1)] as number;
  return {
    order: q,
    add,
    negative: (a) => subtract(0, a),
    multiply: (a, b) => (a === 0 || b === 0 ? 0 : toPower((logarithms[a] as number) + (logarithms[b] as number))),
    inverse: (a) => toPower(q - 1 - (logarithms[a] as number)),
  };
}

const known: Map<number, Field> = /* @__PURE__ */ new Map();

/**
 * The field of an order.
 *
 * @throws {RangeError} unless it is a prime below 2^26 or a power of one up to 1024
 */
export function fieldOf(order: number): Field {
  const found = known.get(order);
  if (found) return found;
  if (!isFieldOrder(order)) throw new RangeError(`expected a prime below 2^26 or a prime's power up to ${MOST_POWERS}, got ${order}`);
  const field = isPrime(order) ? primeField(order) : powerField(order, leastPrime(order));
  known.set(order, field);
  return field;
}
