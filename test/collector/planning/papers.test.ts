/** The papers for a privacy review: the statement in every language, the assessment and how much of it is filled, the registry's entry. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SchemaDocument } from '@murmuration/shared';
import { afterAll, describe, expect, test } from 'vitest';
import type { Certificate } from '#collector/planning/audit/certificate.ts';
import { linkabilityOf } from '#collector/planning/audit/linkability.ts';
import { inMarkdown, type Papers, papersOf } from '#collector/planning/audit/papers/papers.ts';
import { registryEntry } from '#collector/planning/audit/papers/registry.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';
import { LANGUAGES, type Language, statementOf } from '#collector/planning/audit/statement.ts';
import { runCommand } from '../../setup/command.ts';

const vectors = new URL('../../vectors/', import.meta.url);
const documents: readonly (readonly [string, SchemaDocument])[] = readdirSync(vectors)
  .filter((file) => /^certificate.*\.json$/.test(file))
  .map((file) => [file, (JSON.parse(readFileSync(new URL(file, vectors), 'utf8')) as Certificate).document]);
const document = (documents.find(([file]) => file === 'certificate.json') as (typeof documents)[number])[1];

const folder = mkdtempSync(join(tmpdir(), 'murmuration-papers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'schema.json');
writeFileSync(file, JSON.stringify(document));

describe('the statement', () => {
  test.each(documents)('of %s has the same paragraphs and lines in every language, and states no ε', (_, each) => {
    const spending = spendingOf(each);
    const [english, ...others] = (Object.keys(LANGUAGES) as Language[]).map((language) => statementOf(each, spending, language));
    for (const other of others) expect(other.split('\n').length).toBe(english?.split('\n').length);
    for (const text of [english, ...others]) expect(text).not.toMatch(/ε|undefined|NaN/);
  });

  test.each(documents)('of %s has the same digits in every language', (_, each) => {
    const digitsIn = (language: Language): readonly string[] =>
      (statementOf(each, spendingOf(each), language).match(/\d[\d.,^]*\d|\d/g) ?? [])
        .map((number) => number.replaceAll(/[.,]/g, ''))
        .sort();
    expect(digitsIn('de')).toEqual(digitsIn('en'));
  });

  test('explains its numbers by a coin, as a factor of 3 is: three of four against one of four', () => {
    for (const language of ['en', 'de'] as const) expect(LANGUAGES[language].coin).toMatch(/3.*4.*1.*4.*3/s);
    expect(statementOf(document, spendingOf(document), 'de')).toContain('höchstens 2,8-mal so sicher');
  });

  test('is printed alone, in the language that is asked for', () => {
    const { status, stdout } = runCommand('audit', '--schema', file, '--statement', '--lang', 'de');
    expect([status, stdout]).toEqual([0, `${statementOf(document, spendingOf(document), 'de')}\n`]);
    expect(JSON.parse(runCommand('audit', '--schema', file, '--statement', '--json').stdout)).toEqual({
      language: 'en',
      statement: statementOf(document, spendingOf(document)),
    });
    expect(runCommand('audit', '--schema', file, '--statement', '--lang', 'fr')).toMatchObject({ status: 2, stdout: '' });
  });
});

/** The fields of the form. Another one, or one less, is a change of this list. */
const FIELDS = {
  description:
    'subject controller officer nature scope data special people purposes flow assets recipients transfers retention-device retention period',
  need: 'basis consent storage-before storage-after minimisation accuracy limits information access erasure objection automated processors design',
  risks: 'report together participation unlisted linkage segments crafted insider loss severity',
  measures: 'randomizing ledger transport access-control logs breach change residual',
  people: 'views advice consultation signature',
};

const papersFor = (each: SchemaDocument): Papers =>
  papersOf(each, { schema: 'notes/3/0', fingerprint: 'f' }, spendingOf(each), linkabilityOf(each));

describe('the assessment', () => {
  test.each(documents)('of %s has the fields of the list, at least four fifths of them filled, and a mark at each decision', (_, each) => {
    const papers = papersFor(each);
    for (const [section, ids] of Object.entries(FIELDS))
      expect(papers.fields.filter((field) => field.section === section).map(({ id }) => id)).toEqual(ids.split(' '));
    const { fields, filled, toDecide } = papers.filled;
    expect(filled / fields).toBeGreaterThanOrEqual(0.8);
    expect(papers.fields.filter(({ text, decide }) => text === undefined && decide === undefined)).toEqual([]);
    const text = inMarkdown(papers);
    expect(text.match(/^\*\*TO DECIDE:\*\* /gm)).toHaveLength(toDecide);
    expect(text).toContain(`${filled} of ${fields} fields are filled`);
    expect(text).not.toMatch(/undefined|NaN|\[object/);
  });

  test('claims no legal certainty', () => {
    const text = inMarkdown(papersFor(document));
    expect(text).toContain('It is no legal advice, and does not say that the processing is lawful.');
    expect(text).not.toMatch(/compliant|is lawful\.? |anonymous|GDPR-|guarantees? compliance/i);
  });

  test('takes retention and access from the collector’s file of options, which is checked as `serve` checks it', () => {
    const config = join(folder, 'murmuration.json');
    writeFileSync(config, JSON.stringify({ dailyFor: 100, keepFor: 800 }));
    const { status, stdout } = runCommand('audit', '--schema', file, '--dpia', '--config', config);
    expect(status).toBe(0);
    expect(stdout).toContain(
      'By the collector’s configuration, sums are kept by day for 100 days, then by month, and are deleted after 800 days.',
    );
    const { fields, registry } = JSON.parse(runCommand('audit', '--schema', file, '--dpia', '--json').stdout) as Papers;
    expect(fields.find(({ id }) => id === 'retention')?.text).toContain('kept by day for 400 days, then by month, and are never deleted.');
    expect(registry).toEqual(registryEntry(document, spendingOf(document)));
    writeFileSync(config, JSON.stringify({ keepFour: 800 }));
    expect(runCommand('audit', '--schema', file, '--dpia', '--config', config)).toMatchObject({ status: 2, stdout: '' });
    expect(runCommand('audit', '--schema', file, '--config', config)).toMatchObject({ status: 2, stdout: '' });
  });

  test('quotes names from a schema so that they are no Markdown', () => {
    const odd = { ...document, about: { ...document.about, dark: { description: 'a | b\n# <img src=x>' } } };
    const text = inMarkdown(papersFor(odd));
    expect(text).toContain('a \\| b \\# \\<img src=x\\>');
    expect(text.split('## OpenDP')[0]).not.toMatch(/^# <img|[^\\]<img/m);
  });
});

/** schemas/deployments-schema.yaml of opendp/deployments-registry-data at commit 3e9c812a924c: its members, and what an enumeration allows. */
const REGISTRY: { readonly [section: string]: string } = {
  basic: 'name data_curators description intended_use data_product_type data_product_region publication_date data_product_sector',
  dp_variant: 'variant_name data_domain unprotected_quantities',
  privacy_loss: 'privacy_unit privacy_unit_details privacy_parameters privacy_parameters_details',
  deployment_model:
    'model_name model_name_details actors release_type release_type_details data_source_type data_source_type_details access_type access_type_details',
  accounting: 'post_processing composition',
  implementation: 'preprocessing_and_hyperparameter_tuning mechanisms justification',
  administrative: 'sources notes registry_authors',
};

test.each(documents)('the registry’s entry of %s has the members of its form, all of them, and values that it allows', (_, each) => {
  const entry = registryEntry(each, spendingOf(each)) as {
    readonly deployment: { readonly [section: string]: { readonly [member: string]: unknown } };
  };
  expect(Object.keys(entry)).toEqual(['url_slug', 'status', 'tier', 'deployment']);
  const { deployment } = entry;
  expect(Object.fromEntries(Object.entries(deployment).map(([section, members]) => [section, Object.keys(members).join(' ')]))).toEqual(
    REGISTRY,
  );
  expect(entry).toMatchObject({
    status: 'Draft',
    tier: 3,
    deployment: {
      basic: { data_product_type: 'Summary statistics', data_product_sector: 'Technology' },
      dp_variant: { variant_name: 'Pure DP' },
      deployment_model: { model_name: 'Local', release_type: 'Many releases', data_source_type: 'Dynamic', access_type: 'Interactive' },
    },
  });
  const { privacy_parameters } = deployment['privacy_loss'] as { readonly privacy_parameters: { readonly epsilon: number } };
  expect(privacy_parameters.epsilon).toBeGreaterThanOrEqual(Number(spendingOf(each).window));
  for (const text of Object.values(deployment)
    .flatMap((members) => Object.values(members))
    .filter((value) => typeof value === 'string'))
    expect(text.trim()).not.toBe('');
});
