/** The papers for a privacy review of a schema: the assessment, the notice, the points of NIST SP 800-226, and the entry of a registry. */

import { PERIOD_DAYS, type SchemaDocument } from '@murmuration/shared';
import type { Linkability } from '../linkability.ts';
import { type Spending, upTo3 } from '../spending.ts';
import { type Field, type Filled, fieldInMarkdown, filledOf, SECTIONS, type Section, tableOf } from './fields.ts';
import { type CollectorConfiguration, description, need } from './processing.ts';
import { registryEntry } from './registry.ts';
import { measures, risks } from './risks.ts';

/** A question and its answer. */
interface Answered {
  readonly question: string;
  readonly answer: string;
}

/** The papers of a schema. */
export interface Papers {
  readonly schema: string;
  readonly fingerprint: string;
  readonly filled: Filled;
  readonly fields: readonly Field[];
  /** By item of Art. 13, the titles of the fields that answer it. */
  readonly notice: { readonly [item: string]: string };
  readonly sp800226: readonly Answered[];
  readonly registry: object;
}

/** The items of Art. 13, and where they are. */
const NOTICE = {
  '13(1)(a) controller': 'Controller',
  '13(1)(b) data protection officer': 'Data protection officer',
  '13(1)(c) purposes and legal basis': 'Purposes; Legal basis',
  '13(1)(d) legitimate interests': 'Legal basis, if it is not consent',
  '13(1)(e) recipients': 'Recipients',
  '13(1)(f) transfers': 'Transfers to third countries',
  '13(2)(a) retention': 'Retention on the device; Retention at the collector',
  '13(2)(b) rights': 'Access and portability; Rectification, erasure, restriction; Withdrawal and objection',
  '13(2)(c) withdrawal': 'Withdrawal and objection',
  '13(2)(d) complaint': '**TO DECIDE:** the supervisory authority',
  '13(2)(e) obligation to answer': 'None by the SDK: who refuses is asked nothing. **TO DECIDE:** that the app works without',
  '13(2)(f) automated decisions': 'Automated decisions',
} as const;

/** The points that NIST SP 800-226 (March 2025) asks an evaluator to look at, in our words. */
function sp800226({ budget, assign }: SchemaDocument, spending: Spending): readonly Answered[] {
  const days = PERIOD_DAYS[budget.per];
  return [
    {
      question: 'Which guarantee, and with which parameters?',
      answer: `Pure ε-differential privacy, no δ: ε ${upTo3(spending.window)} in any ${days === 1 ? 'day' : `${days} days`} of slots, of a budget of ${budget.epsilon}; ε ${upTo3(spending.year)} in any 365 days.`,
    },
    {
      question: 'What is the unit of privacy?',
      answer:
        'One installation in the budget’s period: all its answers, and not a single event. Activity is equal in both histories that are compared. A person with several installations is several units.',
    },
    {
      question: 'How do losses add up?',
      answer: `By sequential composition, over reports and questions; a kept answer counts once an epoch.${assign ? ' A random subset of questions that fits the budget gives no discount.' : ''} The ledger on the device enforces it, and the audit adds up years and versions.`,
    },
    {
      question: 'Which algorithms, and are they correct?',
      answer: `${[...new Set(spending.metrics.map(({ mechanism }) => mechanism))].join(', ')}. Their channels are enumerated in exact arithmetic, and the shipped randomizers are run over all coins at small moduli. No noise in floating point. Randomness comes from the platform’s cryptographic source.`,
    },
    {
      question: 'How useful are the results, and for whom are they biased?',
      answer:
        'Estimators are unbiased, with 95 % intervals whose coverage is measured. Small groups get wide intervals. People who refuse, and devices that do not come back within 14 days, are not counted.',
    },
    {
      question: 'Which trust model?',
      answer: 'Local: nobody but the device is trusted with answers. The collector is trusted with who took part.',
    },
    {
      question: 'Which side channels are there?',
      answer:
        'Whether, when and how much is sent does not depend on an answer. Addresses and the timing of connections show, and link reports. Timing and power on the device itself are outside.',
    },
    {
      question: 'What protects the data at rest and in transit?',
      answer: 'Only randomized data is stored or sent. TLS is the operator’s; access tokens and roles guard estimates.',
    },
    {
      question: 'What is collected, and could less be?',
      answer:
        'The questions of the schema, as often as it says, and segments in clear. The true answer never leaves the call that records it. **TO DECIDE:** why each question is needed.',
    },
  ];
}

/** The papers of a schema. */
export function papersOf(
  document: SchemaDocument,
  audit: { readonly schema: string; readonly fingerprint: string },
  spending: Spending,
  linkability: Linkability,
  configuration?: CollectorConfiguration,
): Papers {
  const { schema, fingerprint } = audit;
  const fields = [
    ...description(document, fingerprint, configuration),
    ...need(document),
    ...risks(document, spending, linkability),
    ...measures(configuration),
  ];
  return {
    ...{ schema, fingerprint, filled: filledOf(fields), fields, notice: NOTICE },
    sp800226: sp800226(document, spending),
    registry: registryEntry(document, spending),
  };
}

/** The papers in Markdown. */
export function inMarkdown({ schema, fingerprint, filled, fields, notice, sp800226, registry }: Papers): string {
  const sections = (Object.keys(SECTIONS) as Section[]).map((section) =>
    [`## ${SECTIONS[section]}`, ...fields.filter((field) => field.section === section).map(fieldInMarkdown)].join('\n\n'),
  );
  return [
    '# Data protection impact assessment: draft',
    `Written from the schema \`${schema}\` (SHA-256 \`${fingerprint}\`). ${filled.filled} of ${filled.fields} fields are filled, and ${filled.toDecide} leave something to decide, marked **TO DECIDE**. It states what the software does. It is no legal advice, and does not say that the processing is lawful.`,
    ...sections,
    '## Notice (Art. 13): where each item is',
    tableOf(['item', 'where'], Object.entries(notice)),
    '## NIST SP 800-226: the points of an evaluation',
    ...sp800226.map(({ question, answer }) => `**${question}** ${answer}`),
    '## OpenDP deployments registry: entry',
    `\`\`\`json\n${JSON.stringify(registry, null, 2)}\n\`\`\``,
  ].join('\n\n');
}
