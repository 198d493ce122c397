/**
 * The structure of JSON from strangers, looked at before it is parsed. V8 takes time that grows with the square of the number of lists that
 * are open (64 KiB of `[` take it 0.17 s), and of the names in an object. A look at each byte takes a quarter of the time that a batch of the
 * same length takes to parse.
 */

import { refusal } from './refusal.ts';

/** JSON that is shorter than this is parsed whatever it is. */
const SHORT = 1_024;

const [QUOTE, BACKSLASH, COLON, LIST, OBJECT, LIST_END, OBJECT_END] = [0x22, 0x5c, 0x3a, 0x5b, 0x7b, 0x5d, 0x7d] as const;

/**
 * Checks the structure of what may be no JSON at all.
 *
 * @param deepest how deep lists and objects may be in each other
 * @param most how many lists, objects and names there may be
 * @throws {Refusal} when it goes deeper or has more
 */
export function checkStructure(json: Uint8Array, deepest: number, most: number): void {
  if (json.length < SHORT) return;
  let [depth, parts, isText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === LIST_END || byte === OBJECT_END) depth--;
    else if (byte === LIST || byte === OBJECT || byte === COLON) {
      if (byte !== COLON) depth++;
      if (depth > deepest) throw refusal('malformed', `lists and objects that are at most ${deepest} deep in each other`, 'deeper ones');
      if (++parts > most) throw refusal('malformed', `at most ${most} lists, objects and names`, 'more');
    }
  }
}
