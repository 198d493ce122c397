/**
 * An entry for OpenDP's registry of deployments, with the fields of `schemas/deployments-schema.yaml` in opendp/deployments-registry-data as of
 * July 2026 (commit 3e9c812a924c). The registry takes YAML, and JSON is YAML. What only a person knows begins with `TO DECIDE`.
 */

import { PERIOD_DAYS, type SchemaDocument } from '@murmuration/shared';
import { type Spending, upTo3 } from '../spending.ts';

const DECIDE = 'TO DECIDE: ';

/** The entry. Names of members are the registry's. */
export function registryEntry(document: SchemaDocument, spending: Spending): object {
  const { app, version, budget, segments = {}, assign, about } = document;
  const days = PERIOD_DAYS[budget.per];
  const mechanisms = [...new Set(spending.metrics.map(({ mechanism }) => mechanism))].join(', ');
  const names = Object.keys(segments);
  return {
    url_slug: `${app}-telemetry`,
    status: 'Draft',
    tier: 3,
    deployment: {
      basic: {
        name: `Telemetry of ${app}, version ${version} of its schema`,
        data_curators: [`${DECIDE}the controller`],
        description: Object.values(about)
          .map(({ description }) => description)
          .join(' '),
        intended_use: `${DECIDE}the decisions that the estimates serve`,
        data_product_type: 'Summary statistics',
        data_product_region: `${DECIDE}the region`,
        publication_date: `${DECIDE}YYYY-MM-DD of the first estimates`,
        data_product_sector: 'Technology',
      },
      dp_variant: {
        variant_name: 'Pure DP',
        data_domain: `The answers of one installation to ${spending.metrics.length} questions, over time.`,
        unprotected_quantities: `Activity: when the app runs, which metrics without \`otherwise\` are recorded, whether the answer was listed. The number of reports by day.${names.length > 0 ? ` Segments, sent in clear: ${names.join(', ')}.` : ''} The address of the connection, which the collector does not store.`,
      },
      privacy_loss: {
        privacy_unit: `installation, any ${days === 1 ? 'day' : `${days} consecutive days`}`,
        privacy_unit_details:
          'Two histories of answers of one installation with equal activity. An installation is one life of the storage that an origin keeps for an app name; several of one person have a budget each.',
        privacy_parameters: { epsilon: Number(upTo3(spending.window)) },
        privacy_parameters_details: `By the days on which slots begin. By report: ${spending.metrics.map(({ metric, report }) => `${metric} ${upTo3(report.epsilon)}`).join(', ')}. By days of answering: ${upTo3(spending.recorded.epsilon)}. Any 365 days: ${upTo3(spending.year)}; any 3,650: ${upTo3(spending.life)}.`,
      },
      deployment_model: {
        model_name: 'Local',
        model_name_details: 'Each answer is randomized on the device before it is stored or sent.',
        actors:
          'The device and the app on it are trusted. The network, the collector, its operator and its readers are not trusted with answers; the collector is trusted with who took part.',
        release_type: 'Many releases',
        release_type_details: `Estimates change with each report. The budget of ε ${budget.epsilon} holds in any ${days === 1 ? 'day' : `${days} days`}, which slide.`,
        data_source_type: 'Dynamic',
        data_source_type_details: 'Devices answer again as often as the schema says.',
        access_type: 'Interactive',
        access_type_details: 'Readers query sums of randomized reports. Queries spend no further ε.',
      },
      accounting: {
        post_processing: 'Reports are added up by day, segment and cohort; estimators remove the bias of the randomness.',
        composition: `Sequential composition over reports; reports that repeat one kept answer count once, by its ε∞.${assign ? ' Each device answers a random subset of the metrics that fits the budget.' : ''} The ledger on the device enforces it.`,
      },
      implementation: {
        preprocessing_and_hyperparameter_tuning: `${DECIDE}how ε and the questions were chosen. Numbers are clamped to a range that the schema fixes.`,
        mechanisms: `${mechanisms}, by Murmuration. Coins are comparisons of integers from crypto.getRandomValues: there is no floating-point noise. The number of random words does not depend on the answer, except for dice that are thrown again.`,
        justification: `${DECIDE}why these parameters. The channel of each law is enumerated, and at small moduli the shipped randomizer runs over all strings of coins.`,
      },
      administrative: {
        sources: `${DECIDE}links, such as to /.well-known/murmuration.json of the collector`,
        notes: 'Written by `murmuration audit --dpia` from the schema.',
        registry_authors: [`${DECIDE}who submits this`],
      },
    },
  };
}
