/** Amounts of ε and ρ for tests and benches, from numbers. */

import { type Ratio, ratio } from '@murmuration/shared';

/**
 * The decimal number as it is written, so that 0.1 is 1/10 and not the double beside it.
 *
 * @throws {RangeError} unless it is a decimal above 0
 */
export function decimal(value: number | string, what: string): Ratio {
  const [, whole = '', part = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i.exec(String(value).trim()) ?? [];
  const digits = BigInt(`0${whole}${part}`);
  if (digits === 0n) throw new RangeError(`${what}: expected a number above 0, such as 0.5, got ${JSON.stringify(value)}`);
  const power = Number(exponent) - part.length;
  return power < 0 ? ratio(digits, 10n ** BigInt(-power)) : ratio(digits * 10n ** BigInt(power), 1n);
}
