/**
 * A string and lists asked together: one answer through an open-domain law with the whole ε. What that law hashes is the
 * string with its length in front, then the index of the lists' answer, so that different pairs are different texts. The
 * collector decodes them against candidates times answers. Two strings are refused: nobody could list their pairs.
 */

import { utf8 } from '../encoding/bytes.ts';
import { MAX_STRING_BYTES, TOO_LONG } from '../too-long.ts';
import type { JointPart } from './document.ts';
import { type Answer, type Ask, type JointValue, jointIndex, type NamedText, type Question } from './question.ts';

/** What stands for the string among the parts of a joint question: the constructor `text` itself. */
type TextPart = (ask: Ask<NamedText, never>) => Question<string>;

/** The parts of a joint question by name. */
export type Parts = { readonly [name: string]: readonly Answer[] | TextPart };

/** What is left of the longest text that is hashed, beside three digits, a colon, and the five digits of an index. */
const MAX_BYTES = MAX_STRING_BYTES - 9;

/** The text of a string and an index: the string's bytes in decimal, a colon, the string or the token for too long ones, the index. */
export function pairText(text: string, index: number): string {
  const length = text.length > MAX_BYTES ? text.length : utf8(text).length;
  return length > MAX_BYTES ? `${TOO_LONG.length}:${TOO_LONG}${index}` : `${length}:${text}${index}`;
}

const isText = (part: readonly Answer[] | TextPart): part is TextPart => typeof part === 'function';

/** The question of parts of which one is a string. */
export function jointText<const Q extends Parts>(parts: Q, ask: Ask<NamedText>): Question<JointValue<Q>> {
  const entries = Object.entries(parts);
  const lists = entries.filter((entry): entry is [string, readonly Answer[]] => !isText(entry[1]));
  const [name, text] = entries.find(([, part]) => isText(part)) as [string, TextPart];
  const question = text(ask as Ask<NamedText, never>);
  const questions: readonly JointPart[] = entries.map(([each, part]) =>
    isText(part) ? { name: each, text: true } : { name: each, answers: part },
  );
  return {
    ...question,
    type: 'joint',
    fields: { questions: questions as never },
    input: (value) => {
      const index = jointIndex(lists, value);
      const string = question.input((value as { readonly [name: string]: string } | null)?.[name] as string);
      return index === undefined || string === undefined ? undefined : pairText(string as string, index);
    },
  };
}
