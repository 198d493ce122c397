/** Numbers in words for commands and messages. */

/** 12345 -> 12,345. Loading the data for `toLocaleString` takes longer than a short command. */
export const count = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** 0.012345 -> 0.0123: this many digits, without zeros at the end. */
export const digits = (value: number, most: number): string => `${Number(value.toPrecision(most))}`;

/** 0.012345 -> 1.23 %: this many digits, without zeros at the end. */
export const percent = (share: number, most: number = 3): string => `${digits(100 * share, most)} %`;
