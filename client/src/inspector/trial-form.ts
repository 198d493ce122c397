/** The form in which a person tries an answer, to see what would have been sent. Its answers are in its elements and nowhere else. */

import type { Answer, Schema } from '@murmuration/shared';
import { button, element, paragraph, sentences } from '../components/dom.ts';
import type { DeviceQuestions } from '../questions/question.ts';
import type { Speech } from './sections.ts';
import { tryAnswer } from './trial.ts';

/** The most answers that a report is said to name. */
const MOST = 5;

/** A part of a metric's document that tells what can be answered. */
interface Asked {
  readonly type: string;
  readonly answers?: readonly Answer[];
  readonly inputs?: readonly string[];
  readonly questions?: readonly { readonly name: string; readonly answers?: readonly Answer[] }[];
  readonly edges?: readonly number[];
  readonly range?: readonly number[];
  readonly max?: number;
}

/** An element that holds an answer. */
interface Field {
  readonly element: HTMLElement;
  readonly read: () => unknown;
}

const labelled = (label: string, control: HTMLElement): HTMLElement => element('label', {}, label, ' ', control);

function listField({ texts }: Speech, label: string, answers: readonly Answer[]): Field {
  const word = (answer: Answer): string => (typeof answer === 'string' ? answer : answer ? texts.yes : texts.no);
  const select = element('select', {}, ...answers.map((answer) => element('option', {}, word(answer))));
  return { element: labelled(label, select), read: () => answers[select.selectedIndex] };
}

function setField({ texts }: Speech, answers: readonly Answer[]): Field {
  const boxes = answers.map(() => element('input', { type: 'checkbox' }));
  const labels = boxes.map((box, i) => element('label', {}, box, ' ', String(answers[i])));
  return {
    element: element('fieldset', {}, element('legend', {}, texts.yourAnswer), ...labels),
    read: () => answers.filter((_, i) => boxes[i]?.checked),
  };
}

function textField(label: string): Field {
  const input = element('input', { type: 'text', autocomplete: 'off', autocapitalize: 'off' });
  return { element: labelled(label, input), read: () => input.value };
}

/** @param marks numbers that lie in the question's range; it begins with the middle one */
function numberField({ texts }: Speech, marks: readonly number[]): Field {
  const value = marks[marks.length >> 1] ?? 0;
  const input = element('input', { type: 'number', step: 'any', required: '', value: String(value) });
  return { element: labelled(texts.yourAnswer, input), read: () => input.valueAsNumber };
}

/** The fields of a question by the names of its parts; a question that has no parts has one field. */
function fieldsOf(speech: Speech, asked: Asked): readonly (readonly [name: string, Field])[] {
  const { yourAnswer } = speech.texts;
  const one = (field: Field): readonly (readonly [string, Field])[] => [['', field]];
  const { type, answers, inputs, questions, edges, range = [], max } = asked;
  if (questions) return questions.map(({ name, answers }) => [name, answers ? listField(speech, name, answers) : textField(name)]);
  if (type === 'choices') return one(setField(speech, answers ?? []));
  const list = type === 'flag' ? [true, false] : (inputs ?? answers);
  if (list) return one(listField(speech, yourAnswer, list));
  const [low = 0, high = max] = range;
  if (edges ?? high) return one(numberField(speech, edges ?? [low, Math.round((low + (high as number)) / 2), high as number]));
  return one(textField(yourAnswer));
}

/** A form for an answer, with the report that it would have made. */
export function trialForm(speech: Speech, schema: Schema<DeviceQuestions>, metric: string): HTMLElement {
  const { texts, readable } = speech;
  const { number } = readable;
  const asked = schema.document.metrics[metric] as unknown as Asked;
  const fields = fieldsOf(speech, asked);
  const said = element('p', { role: 'status' });
  const form = element(
    'form',
    {},
    ...fields.map(([, field]) => field.element),
    element('div', { class: 'row' }, button(texts.flip, { type: 'submit' })),
  );
  let [tries, changed] = [0, 0];
  form.addEventListener('input', () => {
    [tries, changed] = [0, 0];
    said.textContent = '';
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const parts = fields.map(([name, { read }]) => [name, read()] as const);
    const trial = tryAnswer(schema, metric, asked.questions ? Object.fromEntries(parts) : parts[0]?.[1]);
    if (!trial) {
      said.textContent = texts.untried;
      return;
    }
    tries++;
    if (trial.differs) changed++;
    said.textContent = sentences(
      readable.says(metric, trial.said.slice(0, MOST), trial.said.length - MOST),
      trial.differs !== undefined && texts.tried(number(changed), number(tries)),
    );
  });
  return element('details', {}, element('summary', {}, texts.try), paragraph(texts.trying), form, said);
}
