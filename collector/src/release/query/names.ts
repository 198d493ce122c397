/** Names in JSON that a form would leave out without a word. A condition that is left out asks, and charges, for more than was meant. */

const DROPPED = '__proto__';

/** @throws {RangeError} when an object anywhere in it has a field that forms of records leave out */
export function checkNames(json: unknown): void {
  const waiting = [json];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, DROPPED)) throw new RangeError(`a question: expected names of columns and values, got ${DROPPED}`);
    for (const each of Object.values(value)) if (each !== undefined) waiting.push(each);
  }
}
