/** Fields of CSV (RFC 4180 §2). A spreadsheet runs cells that begin like a formula, and strings in reports are chosen by strangers. */

/** Writes a value as a field. */
export type WriteField = (value: unknown) => string;

/** A value as a field as it is, in quotes where it must be. */
export function rawField(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The beginnings of formulas (OWASP, CSV Injection), and numbers, which are none. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A value as a field that no spreadsheet runs: text that begins like a formula gets an apostrophe before it, and quotes (OWASP). */
export function field(value: unknown): string {
  const text = String(value);
  if (!FORMULA.test(text) || NUMBER.test(text)) return rawField(value);
  return `"'${text.replaceAll('"', '""')}"`;
}

/** The option of commands for values as they are. */
export const RAW_OPTION = [
  '--raw',
  'in CSV, keep text that a spreadsheet would run as a formula as it is, without an apostrophe before it',
] as const;
