/** The schema that the page runs: its name, its claims by its exact integers, and what is sent under it. */

import { mechanismOf, type SchemaDocument, wireName } from '@murmuration/shared';
import { UsageError } from '../../../../base/fault.ts';
import { fingerprintOf } from '../../../../schemas/log/entry.ts';
import { spendingOf, upTo3 } from '../../spending.ts';
import { warningsOf } from '../../warnings.ts';
import { batchesOf } from '../batches.ts';
import { type Check, listed, type Row, row } from '../check.ts';

const NAME = 'schema';
const SENT = 'reports fit the schema';

function claims(document: SchemaDocument, acceptLarge: boolean): Row {
  const spending = spendingOf(document);
  const each = spending.metrics.map(({ metric, report }) => `${metric} ε ${upTo3(report.epsilon)}`);
  const words = `${wireName(document)} asks ${listed(each, 12)} a report; any ${document.budget.per} of it spends ε ${upTo3(spending.window)} of ${document.budget.epsilon}`;
  if (!spending.holds) return row(NAME, 'failed', `${words}: by its integers that is more than it claims`);
  const isLarge = warningsOf(document, spending).some(({ kind }) => kind === 'large-epsilon');
  if (isLarge && !acceptLarge) return row(NAME, 'failed', `${words}: a large ε, which --accept-large accepts`);
  return row(NAME, 'passed', words);
}

export const schema: Check = {
  name: NAME,
  run: async (investigation) => {
    const { devices, documents } = await investigation.known();
    if (devices.length === 0)
      return [
        row(
          NAME,
          'not tested',
          documents.length > 0
            ? `the page wrote the schema ${listed(documents.map(wireName))}, but no telemetry with it was found`
            : 'no telemetry was found on the page: it may begin later, on another page, in a worker that is not watched, or be of another version',
        ),
      ];
    const asked = [...new Set(devices.flatMap(({ document }) => Object.keys(document.metrics)))];
    const stranger = Object.keys(investigation.site.plan.acts ?? {}).find((metric) => !asked.includes(metric));
    if (stranger !== undefined)
      throw new UsageError(`--plan: acts.${stranger}: expected a metric that the page asks (${listed(asked, 12)}), got another`);
    const wrong = devices.filter(({ document, wire }) => wireName(document) !== wire);
    const named = wrong.map(({ document, wire }) =>
      row(NAME, 'failed', `the page calls its schema ${wire}, and by its content it is ${wireName(document)}`),
    );
    const all = [...new Map(devices.map(({ document }) => [fingerprintOf(document), document])).values()];
    const doubled = [...Map.groupBy(all, wireName)].filter(([, { length }]) => length > 1);
    return [
      ...named,
      ...doubled.map(([wire, { length }]) => row(NAME, 'failed', `the page asks ${length} different documents under the one name ${wire}`)),
      ...all.map((document) => claims(document, investigation.acceptLarge)),
    ];
  },
};

export const reportsFit: Check = {
  name: SENT,
  run: async (investigation) => {
    const { devices } = await investigation.known();
    const stories = await investigation.stories();
    const seen = stories.map(([, each]) => each);
    const batches = seen.flatMap(({ sent }) => batchesOf(sent));
    if (devices.length === 0 || batches.length === 0) return [row(SENT, 'not tested', 'no report was seen')];
    // Another telemetry of the page may begin later than the audit looked for it.
    const all = new Map([devices, ...seen.map((each) => each.devices)].flat().map(({ document, wire }) => [wire, document]));
    const isHidden = seen.some(({ unwatched }) => unwatched.length > 0);
    const faults = batches.flatMap(({ body, batch }) => {
      if (batch === undefined) return [`a body that is no batch: ${body}`];
      const document = all.get(batch.schema);
      if (document === undefined) return isHidden ? [] : [`a batch of ${batch.schema}, which no telemetry of the page asks`];
      return batch.reports.flatMap(([metric, report]) => {
        const law = document.metrics[metric]?.law;
        if (law === undefined) return [`a report of ${metric}, which the schema does not ask`];
        try {
          mechanismOf(law).decode(law, Uint8Array.from(Buffer.from(report, 'base64url')));
          return [];
        } catch {
          return [`a report of ${metric} that its law cannot make: ${report}`];
        }
      });
    });
    if (faults.length > 0) return [row(SENT, 'failed', `the page sent ${listed(faults)}`)];
    return [row(SENT, 'passed', `${batches.length} batches, each under its schema's name and with reports that its laws can make`)];
  },
};
