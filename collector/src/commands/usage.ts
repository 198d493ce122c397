/** What a command line gives, and how it fails: one line on standard error, with exit code 2 for bad usage or bad input, 1 for the rest. */

/** Thrown by commands when what they were given can't be used. */
export class UsageError extends Error {}

/** Thrown by commands when what they were asked failed, and a sentence says all that a person needs. */
export class Failure extends Error {}

/** A whole number of an option. */
export function wholeOption(name: string, low: number, high: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < low || value > high) {
      throw new UsageError(`${name}: expected a whole number from ${low} to ${high}, got ${JSON.stringify(text)}`);
    }
    return value;
  };
}

/** A positive number of an option. */
export function positiveOption(name: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value > 0 && Number.isFinite(value)))
      throw new UsageError(`${name}: expected a finite number above 0, got ${JSON.stringify(text)}`);
    return value;
  };
}

/** A share of an option, as 0.01 or 1%: above 0 and below 1. */
export function shareOption(name: string): (text: string) => number {
  return (text) => {
    const [, digits, sign] = /^(\d+\.?\d*|\.\d+)\s*(%?)$/.exec(text.trim()) ?? [];
    const value = Number(digits) / (sign === '%' ? 100 : 1);
    if (!(value > 0 && value < 1))
      throw new UsageError(`${name}: expected a percentage, such as 1%, or a share below 1, such as 0.01, got ${JSON.stringify(text)}`);
    return value;
  };
}

/** Rising finite numbers of an option, parted by commas: at least so many. */
export function numbersOption(name: string, least: number): (text: string) => readonly number[] {
  return (text) => {
    const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    const rise = numbers.every((number, i) => Number.isFinite(number) && (i === 0 || number > (numbers[i - 1] as number)));
    if (!rise || numbers.length < least)
      throw new UsageError(`${name}: expected at least ${least} numbers that rise, got ${JSON.stringify(text)}`);
    return numbers;
  };
}

/** Whole numbers of an option, parted by commas: two or more, each from 2. */
export function sizesOption(name: string): (text: string) => readonly number[] {
  return (text) => {
    if (!/^\d+(,\d+)+$/.test(text) || text.split(',').some((part) => Number(part) < 2))
      throw new UsageError(`${name}: expected two or more whole numbers, each from 2, got ${JSON.stringify(text)}`);
    return text.split(',').map(Number);
  };
}

/** Origins of an option that may be given again, each as browsers name it in a request: another form would match none. */
export function originsOption(text: string, before: readonly string[] = []): readonly string[] {
  const { protocol, host } = URL.canParse(text) ? new URL(text) : { protocol: '', host: '' };
  if (host === '' || text !== `${protocol}//${host}`)
    throw new UsageError(`--origin: expected an origin as browsers name it, such as https://app.example, got ${JSON.stringify(text)}`);
  return [...before, text];
}

/** Prints a JSON document, or lines for people, on standard output. */
export function print(json: boolean | undefined, value: unknown, lines: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : lines()}\n`);
}
