/** The processing, its purposes, and why each part of it is needed: Art. 35(7)(a) and (b), ePrivacy 5(3). */

import { type About, type MetricDocument, PERIOD_DAYS, type SchemaDocument, wireName } from '@murmuration/shared';
import { count } from '../../../base/numbers.ts';
import { RETENTION } from '../../../storage/retention.ts';
import { answersIn } from '../statement.ts';
import { english } from '../texts/english.ts';
import { storedBy } from './device.ts';
import { type Field, fieldsOf, plain, tableOf } from './fields.ts';

/** The options of the collector that the papers use: those of `serve --config`. */
export interface CollectorConfiguration {
  readonly dailyFor?: number;
  readonly keepFor?: number;
  readonly postgres?: string;
  readonly open?: boolean;
  readonly authHeader?: string;
}

const metricsOf = ({ metrics, about }: SchemaDocument): readonly (readonly [string, MetricDocument, About])[] =>
  Object.entries(metrics).map(([name, metric]) => [name, metric, about[name] as About]);

const clearOf = ({ segments = {} }: SchemaDocument): string => {
  const names = Object.entries(segments).map(([name, values]) => `${plain(name)} (${values.map(plain).join(', ')})`);
  return names.length > 0 ? `It has these segments, in clear: ${names.join('; ')}.` : 'It has no segments.';
};

/** The fields of Art. 35(7)(a). */
export function description(document: SchemaDocument, fingerprint: string, configuration?: CollectorConfiguration): readonly Field[] {
  const { app, version, devices, budget } = document;
  const metrics = metricsOf(document);
  const published = metrics.filter(([, , { publish }]) => publish).map(([name]) => plain(name));
  const { dailyFor = RETENTION.dailyFor, keepFor } = configuration ?? {};
  const source = configuration ? 'By the collector’s configuration' : 'By the collector’s defaults';
  const field = fieldsOf('description');
  return [
    field(
      'subject',
      'Subject',
      `Telemetry of the app ${plain(app)}, version ${version} of its schema: \`${wireName(document)}\`, SHA-256 \`${fingerprint}\`.`,
    ),
    field('controller', 'Controller', undefined, 'name and contact of the controller, and of joint controllers.'),
    field('officer', 'Data protection officer', undefined, 'name and contact, or why there is none.'),
    field(
      'nature',
      'Nature',
      'The device randomizes each answer before it stores or sends it (local differential privacy). The collector adds reports up and estimates shares and averages from the sums. It makes no profile: reports have no identifier of a person or a device.',
    ),
    field(
      'scope',
      'Scope: the questions',
      tableOf(
        ['metric', 'question', 'answers', 'asked'],
        metrics.map(([name, metric, about]) =>
          [name, about.description, answersIn(english, metric), english.often(metric.every)].map(plain),
        ),
      ),
    ),
    field(
      'data',
      'Data',
      `Sent in each batch: the schema’s name, version and checksum, a random number of the batch, names of questions, a day, randomized reports. ${clearOf(document)} The connection shows the device’s address and what its browser says of itself. Addresses are used in memory for limits, and not stored or logged by the collector.`,
      'whether these are personal data in your hands: a batch names nobody, but whoever sees the connection (behind a relay: the relay) sees an address with it. Treating them as such is the careful reading.',
    ),
    field(
      'special',
      'Special categories (Art. 9) and criminal offences (Art. 10)',
      undefined,
      'whether an answer to any of the questions above reveals one. Randomizing lowers what is known; it does not change what was asked.',
    ),
    field(
      'people',
      'People concerned',
      `People who use the app and have agreed. The schema expects ${count(devices)} devices that report on a day.`,
      'whether children or people in a dependent position (employees, patients) are among them.',
    ),
    field(
      'purposes',
      'Purposes',
      metrics
        .map(
          ([name, , { description, owner }]) =>
            `- ${plain(name)}: ${plain(description)}${owner === undefined ? '' : ` (asked by ${plain(owner)})`}`,
        )
        .join('\n'),
      `which decision each question serves${metrics.some(([, , { owner }]) => owner === undefined) ? ', and who owns those without a name' : ''}.`,
    ),
    field(
      'flow',
      'Flow',
      'App → SDK on the device: answer randomized, slot claimed in the ledger, report queued → `POST /v1/reports` → collector: checked against the schema, committed, acknowledged → sums by day, segment and cohort → estimates on the dashboard and in the API.',
    ),
    field(
      'assets',
      'Assets',
      `The device’s storage ([below](#storage-on-the-device-after-agreement)); the app’s bundle; the collector’s process; its store${configuration?.postgres === undefined ? ' (a folder with SQLite files, unless `--postgres` is set)' : ', a PostgreSQL database'}; backups.`,
      'machines, hosting and backups by name.',
    ),
    field(
      'recipients',
      'Recipients',
      `${configuration?.open ? 'Everybody who reaches the collector: it runs `--open`, without tokens.' : 'People with an access token: `analyst` reads releases with noise, `viewer` estimates, `reviewer` also schemas and audits, `admin` all.'}${configuration?.authHeader === undefined ? '' : ' People whom the proxy signs in.'} Everybody: the schemas, at \`/.well-known/murmuration.json\`${published.length > 0 ? `, and the estimates of ${published.join(', ')}` : '; no estimates, because no question is published'}.`,
      'who holds tokens; processors such as hosting (see Processors).',
    ),
    field(
      'transfers',
      'Transfers to third countries',
      'The SDK sends to the collector’s address and to nobody else. The collector sends estimates to nobody on its own; with `--alerts URL` it tells that address which days of which metrics look wrong.',
      'the countries of the collector, its backups and readers, and the ground for each transfer (Chapter V).',
    ),
    field(
      'retention-device',
      'Retention on the device',
      'A report that waits is deleted when the collector has it, and after 14 days at the latest. Days and spent ε stay, because they keep the budget. `deny()` and `forget()` erase what waits.',
    ),
    field(
      'retention',
      'Retention at the collector',
      `Reports are added up when the store takes them, and not kept beside the sums. Batch ids are kept as hashes until two days after the batch could come last. ${source}, sums are kept by day for ${dailyFor} days, then by month, and ${keepFor === undefined ? 'are never deleted' : `are deleted after ${keepFor} days`}.`,
      `whether that fits the purposes${keepFor === undefined ? '; `--keep-for DAYS` sets an end' : ''}; retention of backups and of the proxy’s logs.`,
    ),
    field(
      'period',
      'Budget',
      `A device spends at most ε ${budget.epsilon} in any ${PERIOD_DAYS[budget.per]} ${budget.per === 'day' ? 'day' : 'days'} (by the days on which slots begin). The ledger on the device enforces it.`,
    ),
  ];
}

/** The fields of Art. 35(7)(b), with the device’s storage and the rights of people. */
export function need(document: SchemaDocument): readonly Field[] {
  const metrics = metricsOf(document);
  const endless = metrics.filter(([, , { expires }]) => expires === undefined).map(([name]) => plain(name));
  const ends = metrics.flatMap(([name, , { expires }]) => (expires === undefined ? [] : [`${plain(name)} ends on ${expires}`]));
  const things = storedBy(document.app);
  const field = fieldsOf('need');
  return [
    field(
      'basis',
      'Legal basis',
      "The SDK’s default (`consent: 'ask'`) fits consent, Art. 6(1)(a): without `grant()` it records nothing.",
      "the basis. With `consent: 'granted'` in the app, name another one, and the ground for storing on the device.",
    ),
    field(
      'consent',
      'Conditions of consent (Art. 7)',
      'Refusing is as easy as agreeing: one call each, and one button each in the component. A refusal holds in every tab, and erases what waits. The collector can’t show who agreed, because it knows nobody.',
      'how the app asks, and how you demonstrate consent (Art. 7(1)).',
    ),
    field(
      'storage-before',
      'Storage on the device before agreement',
      `Nothing is created, stored or sent. To know whether the person has decided, the SDK lists the keys of \`localStorage\` and the databases of its own origin, and reads its own:\n\n${things
        .filter(({ isReadBefore }) => isReadBefore)
        .map(({ where, name }) => `- ${where}: \`${plain(name)}\``)
        .join('\n')}\n\n\`createLazyTelemetry\` reads \`murmuration:${plain(document.app)}:consent\` alone, and downloads no further code.`,
      'whether that read is strictly necessary (ePrivacy 5(3)), or the app creates the telemetry only after the answer.',
    ),
    field(
      'storage-after',
      'Storage on the device after agreement',
      tableOf(
        ['where', 'name', 'holds', 'until'],
        things.map(({ where, name, holds, until }) => [where, `\`${plain(name)}\``, holds, until]),
      ),
      'whether the app adds `withHistory` (`…:sent`, the last 50 batches), a `storage` of its own, or other cookies and storage.',
    ),
    field(
      'minimisation',
      'Data minimisation (Art. 5(1)(c))',
      `The true answer never leaves the device and is not stored there. No identifier, time of day, address or user agent is stored.${document.assign ? ' Each device is asked only some of the questions, by chance.' : ''}`,
      'for each question, why fewer answers, a smaller ε or a rarer cadence would not do (`murmuration plan` says what each costs).',
    ),
    field(
      'accuracy',
      'Accuracy (Art. 5(1)(d))',
      'Estimates have standard errors and 95 % intervals, and say when reports are too few. They are about groups: nothing is concluded about a person. Crafted reports can spoil estimates; the collector tests for them.',
    ),
    field(
      'limits',
      'Storage limitation: the end of each question',
      ends.length > 0
        ? `${ends.map((end) => `- ${end}`).join('\n')}\n\nThe SDK enforces these days.`
        : 'No question has a day on which it ends.',
      ...(endless.length > 0 ? [`a day (\`expires\`) for ${endless.join(', ')}, or why there is none.`] : []),
    ),
    field(
      'information',
      'Information (Art. 13)',
      'The table at the end says where each item of the notice is. `murmuration audit --statement --lang en` (or `de`) writes what is asked and what reports give away, in words for everybody.',
    ),
    field(
      'access',
      'Access and portability (Art. 15, 20)',
      'The collector can’t tell which part of a sum is whose: reports have no identifier, and were randomized before they were sent. Where you can show that you can’t identify a person, Art. 11(2) lifts Art. 15 to 20, unless the person brings what identifies them. Nothing they could bring does here: not even the device knows the ids of delivered batches, unless the app keeps a history. On the device, the inspector shows what is stored and what waits.',
      'that your proxy, hosting and other records keep nothing that joins an address to a batch.',
    ),
    field(
      'erasure',
      'Rectification, erasure, restriction (Art. 16 to 18)',
      'What waits on the device is erased by `deny()` and `forget()`. What is part of a sum can’t be found. `murmuration delete` removes a metric, a version or an app as a whole.',
    ),
    field(
      'objection',
      'Withdrawal and objection (Art. 7(3), 21)',
      '`deny()` ends it in all tabs, and for a worker at its next step.',
      'where the app offers it.',
    ),
    field('automated', 'Automated decisions (Art. 22)', 'None: no output is about a person.'),
    field(
      'processors',
      'Processors (Art. 28)',
      undefined,
      'hosting, database and support, with their contracts. Murmuration’s authors get nothing and are none.',
    ),
    field(
      'design',
      'Data protection by design and by default (Art. 25)',
      'Randomizing on the device, a budget that the device enforces, no telemetry before agreement, and no identifiers are defaults of the software, not options.',
    ),
  ];
}
