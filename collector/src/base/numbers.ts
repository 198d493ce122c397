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
