/** Numbers in words for commands and messages. */

/** 12345 -> 12,345. Loading the data for `toLocaleString` takes longer than a short command. */
export const count = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** 0.012345 -> 0.0123: this many digits, without zeros at the end. */
export const digits = (value: number, most: number): string => `${Number(value.toPrecision(most))}`;

/** 0.012345 -> 1.23 %: this many digits, without zeros at the end. */
export const percent = (share: number, most: number = 3): string => `${digits(100 * share, most)} %`;

/** Below this a p-value is told no further. */
const LEAST_P = 0.0001;

/** 0.0312 -> p = 0.031, and 1e-9 -> p < 0.0001 */
export const pValueInWords = (pValue: number): string => (pValue < LEAST_P ? `p < ${LEAST_P}` : `p = ${pValue.toPrecision(2)}`);

/** Three digits, rounded one way. */
function toThree(value: number, round: (x: number) => number): string {
  if (value === 0) return '0';
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(value)));
  return (round(value * 10 ** decimals) / 10 ** decimals).toFixed(decimals);
}

/** 0.032661 -> 0.0327: three digits, rounded up, as upper bounds are. */
export const roundUp = (value: number): string => toThree(value, Math.ceil);

/** 0.032661 -> 0.0326: three digits, rounded down. */
export const roundDown = (value: number): string => toThree(value, Math.floor);
