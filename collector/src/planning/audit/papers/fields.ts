/** The form of a data protection impact assessment: fields, each with what is known and what a person must decide. */

/** The sections of Art. 35(7) GDPR, and those around it. */
export const SECTIONS = {
  description: '1. The processing and its purposes (Art. 35(7)(a))',
  need: '2. Necessity and proportionality (Art. 35(7)(b))',
  risks: '3. Risks to rights and freedoms (Art. 35(7)(c))',
  measures: '4. Measures (Art. 35(7)(d))',
  people: '5. Views, advice and decision (Art. 35(2), 35(9), 36)',
} as const;

export type Section = keyof typeof SECTIONS;

/** A field of the form. One without a text is empty, and has a decision. */
export interface Field {
  readonly id: string;
  readonly section: Section;
  readonly title: string;
  /** Paragraphs or a list, in Markdown. */
  readonly text?: string;
  /** A question that only a person can answer. */
  readonly decide?: string;
}

/** Makes the fields of a section. */
export const fieldsOf =
  (section: Section) =>
  (id: string, title: string, text?: string, decide?: string): Field => ({
    ...{ id, section, title },
    ...(text !== undefined && { text }),
    ...(decide !== undefined && { decide }),
  });

/** The fields that hold a text, the fields that leave something to decide, and all. */
export interface Filled {
  readonly fields: number;
  readonly filled: number;
  readonly toDecide: number;
}

export const filledOf = (fields: readonly Field[]): Filled => ({
  fields: fields.length,
  filled: fields.filter(({ text }) => text !== undefined).length,
  toDecide: fields.filter(({ decide }) => decide !== undefined).length,
});

/** The mark of a place where a person must decide. */
const DECIDE = '**TO DECIDE:**';

/** A field in Markdown. */
export const fieldInMarkdown = ({ title, text, decide }: Field): string =>
  [`### ${title}`, ...(text === undefined ? [] : [text]), ...(decide === undefined ? [] : [`${DECIDE} ${decide}`])].join('\n\n');

/** Names that come from a schema, so that no character of theirs is Markdown. */
export const plain = (text: string): string => text.replaceAll(/[\\`*_[\]<>|#]/g, '\\$&').replaceAll(/\s+/g, ' ');

/** A table in Markdown. */
export const tableOf = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
