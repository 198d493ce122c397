/** Risks, measures, and who decides: Art. 35(7)(c) and (d), 35(2), 35(9) and 36. */

import type { MetricDocument, SchemaDocument } from '@murmuration/shared';
import type { Linkability } from '../linkability.ts';
import { percent, posteriorOf } from '../posterior.ts';
import { type Spending, upTo3 } from '../spending.ts';
import { factor, oddsOf } from '../statement.ts';
import { linkageWords, warningsOf } from '../warnings.ts';
import { type Field, fieldsOf, plain, tableOf } from './fields.ts';
import type { CollectorConfiguration } from './processing.ts';

/** The fields of Art. 35(7)(c). */
export function risks(document: SchemaDocument, spending: Spending, linkability: Linkability): readonly Field[] {
  const { metrics, segments = {} } = document;
  const warnings = warningsOf(document, spending, linkability);
  /** A warning without its name, which ends with the first colon. */
  const wordsOf = (kind: string): string | undefined =>
    warnings
      .find((warning) => warning.kind === kind)
      ?.words.replace(/^[^:]*: /, '')
      .replace(/^./, (letter) => letter.toUpperCase());
  const field = fieldsOf('risks');
  return [
    field(
      'report',
      'A report tells something of its answer',
      tableOf(
        ['metric', 'ε', 'more confident, at most', 'true answer known with, at most', 'kept answer: ε∞'],
        spending.metrics.map(({ metric, report, epoch }) => {
          const most = posteriorOf(metrics[metric] as MetricDocument, report.odds);
          return [
            plain(metric),
            upTo3(report.epsilon),
            `${factor(report.odds)} times`,
            most ? percent(most) : 'not listed',
            epoch ? upTo3(epoch.epsilon) : '',
          ];
        }),
      ),
      ...(wordsOf('large-epsilon') === undefined ? [] : [`why a large ε is acceptable. ${wordsOf('large-epsilon')}`]),
    ),
    field(
      'together',
      'Reports of one device add up',
      `If somebody joins them: ε ${upTo3(spending.window)} in a ${document.budget.per} of slots (${factor(oddsOf(Number(spending.window)))} times), ε ${upTo3(spending.recorded.epsilon)} counted by days of answering, ε ${upTo3(spending.year)} in any 365 days, ε ${upTo3(spending.life)} in any 3,650. Each further installation of a person has a budget of its own.`,
    ),
    field(
      'participation',
      'Taking part shows',
      wordsOf('participation-visible') ??
        'Each question has an `otherwise`, so a report does not tell that it was answered. That the app ran in a slot shows.',
    ),
    field(
      'unlisted',
      'An answer outside the list shows',
      wordsOf('unlisted-sends-nothing') ?? 'Every answer is sent: no list leaves answers out.',
    ),
    field(
      'linkage',
      'Reports are joined to one device',
      `${linkageWords(document, linkability)} ${
        document.relay
          ? 'Addresses are hidden from the collector: a relay sees them, and can’t read reports.'
          : 'Whoever sees addresses can join the batches of an address.'
      }`,
      document.relay
        ? 'who operates the relay and the issuer of tokens, if there is one, under which contracts, and that neither works with the collector.'
        : 'whether a relay that hides addresses (Oblivious HTTP, RFC 9458) is proportionate.',
    ),
    field(
      'segments',
      'Segments are not randomized',
      wordsOf('segments-in-clear') ?? 'There are none.',
      ...(Object.keys(segments).length > 0 ? ['that no segment, and no combination of them, singles people out.'] : []),
    ),
    field(
      'crafted',
      'Wrong estimates',
      'Others can send crafted reports. They move estimates, by a bounded amount that the audit prints, and lower nobody’s privacy.',
    ),
    field(
      'insider',
      'Illegitimate access to the store',
      'Shows sums by day and segment. A sum of one report is that report: its ε bounds what it tells. Exact counts of who took part are not protected by ε.',
    ),
    field('loss', 'Loss or change of the store', 'Loses estimates. No person depends on them, and devices keep what was not acknowledged.'),
    field('severity', 'Likelihood and severity', undefined, 'for each risk above, for the people concerned.'),
  ];
}

/** The fields of Art. 35(7)(d) and of who decides. */
export function measures(configuration?: CollectorConfiguration): readonly Field[] {
  const field = fieldsOf('measures');
  const person = (id: string, title: string, decide: string): Field => ({ id, section: 'people', title, decide });
  return [
    field(
      'randomizing',
      'Randomizing',
      'Every coin is an integer comparison, and ε the logarithm of a ratio of those integers, rounded up. `murmuration audit --certificate` prints the ratios for another program; `--empirical N` tests the shipped randomizers.',
    ),
    field(
      'ledger',
      'The ledger',
      'One atomic and durable step claims a slot and stores its report. A crash, several tabs and a clock that is set back spend nothing twice.',
    ),
    field(
      'transport',
      'Transport',
      'One POST without cookies or referrer. The SDK does not refuse plain http.',
      'that the endpoint is https.',
    ),
    field(
      'access-control',
      'Access to estimates',
      configuration?.open
        ? 'None: the configuration says `--open`, which the collector allows only on an address of its own machine.'
        : 'Access tokens with roles, by app; sessions end after 12 hours without use. Write keys of apps are public.',
      'who grants and reviews tokens.',
    ),
    field(
      'logs',
      'Logs',
      'The collector’s log has no address, no body and no time. The log of actions names who changed what.',
      'that the proxy, the hosting and the log collector keep no address with a time.',
    ),
    field(
      'breach',
      'Breach (Art. 33, 34)',
      'A copy of the store shows randomized sums and counts of who took part, access tokens as hashes, and no person.',
      'who is told, and how you judge the risk.',
    ),
    field(
      'change',
      'Changes',
      '`murmuration schema --schema NEW --against OLD` names each change that makes devices spend again, and exits 1 without `--accept`. Another schema has another SHA-256: then this assessment is to be written again (Art. 35(11)).',
      'the day of the next review.',
    ),
    field('residual', 'Residual risk', undefined, 'what remains, and whether it is acceptable.'),
    person('views', 'Views of the people concerned (Art. 35(9))', 'whether they were asked, and what they said.'),
    person('advice', 'Advice of the data protection officer (Art. 35(2))', 'the advice, and what came of it.'),
    person('consultation', 'Prior consultation (Art. 36)', 'whether the residual risk is high.'),
    person('signature', 'Decision', 'name, day, signature.'),
  ];
}
