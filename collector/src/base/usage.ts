/** Parses options of the command line, and prints results. What can't be used is a `UsageError`. */

import { parseDay } from '@murmuration/shared';
import { UsageError } from './fault.ts';

/** Words for an unreadable file, by the code of the error of reading it. */
const UNREAD: Readonly<Record<string, string>> = { ENOENT: 'none', ENOTDIR: 'none', EISDIR: 'a folder' };

/** Why a file could not be read: what was expected and what came, or the system's own words. */
export function unreadBecause(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const got = UNREAD[code];
  return got === undefined ? message : `expected a file, got ${got}`;
}

/** An option whose value is a whole number. */
export function wholeOption(name: string, low: number, high: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < low || value > high) {
      throw new UsageError(`${name}: expected a whole number from ${low} to ${high}, got ${JSON.stringify(text)}`);
    }
    return value;
  };
}

/** An option whose value is a day, counted from 1970-01-01. */
export function dayOption(name: string): (text: string) => number {
  return (text) => {
    const day = parseDay(text);
    if (day === undefined) throw new UsageError(`${name}: expected a day such as 2026-11-20, got ${JSON.stringify(text)}`);
    return day;
  };
}

/** An option whose value is one of a list. */
export function choiceOption<T extends string>(name: string, values: readonly T[]): (text: string) => T {
  return (text) => {
    const value = values.find((each) => each === text);
    if (value === undefined) throw new UsageError(`${name}: expected one of ${values.join(', ')}, got ${JSON.stringify(text)}`);
    return value;
  };
}

/** An option whose value is a positive number. */
export function positiveOption(name: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value > 0 && Number.isFinite(value)))
      throw new UsageError(`${name}: expected a finite number above 0, got ${JSON.stringify(text)}`);
    return value;
  };
}

/** An option whose value is a share, as 0.01, 1e-8 or 1%: above 0 and below 1. */
export function shareOption(name: string): (text: string) => number {
  return (text) => {
    const [, digits, sign] = /^((?:\d+\.?\d*|\.\d+)(?:e-\d+)?)\s*(%?)$/.exec(text.trim()) ?? [];
    const value = Number(digits) / (sign === '%' ? 100 : 1);
    if (!(value > 0 && value < 1))
      throw new UsageError(`${name}: expected a percentage, such as 1%, or a share below 1, such as 0.01, got ${JSON.stringify(text)}`);
    return value;
  };
}

/** An option whose value is a list of ascending finite numbers, separated by commas, with a least length. */
export function numbersOption(name: string, least: number): (text: string) => readonly number[] {
  return (text) => {
    const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    const rise = numbers.every((number, i) => Number.isFinite(number) && (i === 0 || number > (numbers[i - 1] as number)));
    if (!rise || numbers.length < least)
      throw new UsageError(`${name}: expected ascending numbers, at least ${least}, got ${JSON.stringify(text)}`);
    return numbers;
  };
}

/** An option whose value is a list of whole numbers, separated by commas: two or more, each at least 2. */
export function sizesOption(name: string): (text: string) => readonly number[] {
  return (text) => {
    if (!/^\d+(,\d+)+$/.test(text) || text.split(',').some((part) => Number(part) < 2))
      throw new UsageError(`${name}: expected two or more whole numbers, each from 2, got ${JSON.stringify(text)}`);
    return text.split(',').map(Number);
  };
}

/** A repeatable option whose values are origins. They must have the form that browsers send, because no other form would match. */
export function originsOption(text: string, before: readonly string[] = []): readonly string[] {
  const { protocol, host } = URL.canParse(text) ? new URL(text) : { protocol: '', host: '' };
  if (host === '' || text !== `${protocol}//${host}`)
    throw new UsageError(`--origin: expected an origin as browsers name it, such as https://app.example, got ${JSON.stringify(text)}`);
  return [...before, text];
}

/** Prints a JSON document, or readable lines, on standard output. */
export function print(json: boolean | undefined, value: unknown, lines: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : lines()}\n`);
}
