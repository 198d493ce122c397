/** The audit: the exact ε of what ships, the certificate that another program has verified, and claims that are broken. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { best, choice, choices, defineSchema, flag, joint, mean, permanent } from '@murmuration/client';
import { listLaw, type Questions, type RapporLaw, ratio, type SchemaDocument } from '@murmuration/shared';
import { afterAll, describe, expect, test } from 'vitest';
import type { Certificate } from '#collector/planning/audit/certificate.ts';
import { percent, posteriorOf } from '#collector/planning/audit/posterior.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';
import { factor, statementOf } from '#collector/planning/audit/statement.ts';
import { type Ran, runCommand } from '../../setup/command.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'murmuration-audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Verified with test/vectors/verify_certificate.py. */
const golden = JSON.parse(readFileSync(path('../../vectors/certificate.json'), 'utf8')) as Certificate;
const { document } = golden;

let files = 0;
function audit(schema: object, ...args: string[]): Ran {
  const file = join(folder, `schema-${++files}.json`);
  writeFileSync(file, JSON.stringify(schema));
  return runCommand('audit', '--schema', file, '--accept-large', ...args);
}

const change = (metric: string, fields: object): SchemaDocument =>
  ({ ...document, metrics: { ...document.metrics, [metric]: { ...document.metrics[metric], ...fields } } }) as SchemaDocument;

describe('murmuration audit --certificate', () => {
  test('is the one that was verified, to the integer', () => {
    const { status, stdout } = audit(document, '--certificate');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual(golden);
  });

  test.each(['numbers', 'sets', 'hashing', 'designs', 'assigned'])(
    'of questions about %s is the one that was verified, to the integer',
    (name) => {
      const verified = JSON.parse(readFileSync(path(`../../vectors/certificate-${name}.json`), 'utf8')) as Certificate;
      expect(JSON.parse(audit(verified.document, '--certificate').stdout)).toEqual(verified);
    },
  );

  test('has every kind of law, composed and not', () => {
    const kinds = Object.values(golden.metrics).map(({ law, epoch }) => `${law.mechanism}${epoch ? ', permanent' : ''}`);
    expect([...new Set(kinds)].sort()).toEqual(['k-ary', 'k-ary, permanent', 'rappor', 'rappor, permanent', 'subset']);
  });

  test('changes with every threshold', () => {
    for (const [metric, { law, report }] of Object.entries(golden.metrics)) {
      const threshold = law.mechanism === 'k-ary' ? 'truth' : law.mechanism === 'subset' ? 'include' : 'one';
      const less = { ...law, [threshold]: ((law as unknown as { readonly [key: string]: number })[threshold] as number) - 1 };
      const spending = spendingOf(change(metric, { law: less })).metrics.find((each) => each.metric === metric);
      expect(`${spending?.report.odds.numerator}/${spending?.report.odds.denominator}`).not.toBe(
        `${report.numerator}/${report.denominator}`,
      );
    }
  });
});

describe('a claim', () => {
  test('holds when no report, epoch and window spends more', () => {
    const { status, stdout } = audit(document, '--json');
    const result = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(result).toMatchObject({ schema: golden.schema, fingerprint: golden.fingerprint, holds: true, segmentCombinations: 6 });
    expect(result.window).toEqual(golden.window);
    for (const { metric, claimed, epsilon, times } of result.metrics) {
      expect(epsilon.report).toBe(golden.metrics[metric]?.report.epsilon);
      expect(Number(epsilon.report)).toBeLessThanOrEqual(claimed.report);
      expect(epsilon.epoch).toBe(golden.metrics[metric]?.epoch?.epsilon);
      expect(Number(epsilon.window)).toBeCloseTo(times * Number(epsilon.epoch ?? epsilon.report), 10);
    }
  });

  test.each([
    ['a report', change('dark', { epsilon: 0.09 })],
    ['an epoch', change('font', { permanent: { epsilon: 2.4, renew: 'month' } })],
    ['the window', { ...document, budget: { epsilon: 19.3, per: 'month' } }],
    ['the window of a daily question', change('country', { every: 'day' })],
    ['a report, by a threshold', change('plan', { law: { mechanism: 'k-ary', size: 4, truth: 2 ** 32 - 1 } })],
  ])('is broken where %s spends more, with exit code 1', (_, broken) => {
    const { status, stdout, stderr } = audit(broken, '--json');
    expect([status, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout).holds).toBe(false);
    expect(audit(broken).stdout).toContain('A CLAIM IS EXCEEDED');
    const certificate = audit(broken, '--certificate');
    expect([certificate.status, JSON.parse(certificate.stdout).holds]).toEqual([1, false]);
  });

  test('is not made for a law with a member too many, by which a device would send its stored symbol as it is', () => {
    const law = document.metrics['home']?.law as RapporLaw;
    for (const more of [{ truth: 1 }, { irr: { ...law.irr, truth: 2 ** 32 } }]) {
      const { status, stdout, stderr } = audit(change('home', { law: { ...law, ...more } }));
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^murmuration: [^\n]*schema\.metrics\.home\.law\.(irr\.)?truth: expected only [^\n]*\n$/);
    }
  });

  test('that has too many digits is refused in one line', () => {
    for (const epsilon of [1e21, 1e308]) {
      const { status, stdout, stderr } = audit({ ...document, budget: { epsilon, per: 'month' } });
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^murmuration: [^\n]*schema\.budget\.epsilon: expected a number of at most 1000000000, got [^\n]*\n$/);
    }
  });

  test('of other commands is still checked before anything else is done', () => {
    const file = join(folder, 'broken.json');
    writeFileSync(file, JSON.stringify(change('dark', { epsilon: 0.09 })));
    const { status, stderr } = runCommand('schema', '--schema', file);
    expect(status).toBe(2);
    expect(stderr).toContain('expected an epsilon of at most 0.09');
  });
});

describe('what people read', () => {
  test('warns of what ε does not cover', () => {
    const { stdout } = audit(document);
    expect(stdout).toMatch(/^warning: participation visible: that a device answers dark, /m);
    expect(stdout).toContain('segments are sent in clear: platform, release-channel put each device into one of 6 groups');
    const { segments: _segments, ...plain } = document;
    const { warnings, segmentCombinations } = JSON.parse(audit(plain, '--json').stdout);
    expect(warnings.map(({ kind }: { kind: string }) => kind)).toEqual([
      'large-epsilon', // a report
      'large-epsilon', // a month
      'unlisted-sends-nothing',
      'participation-visible',
      'storage',
    ]);
    expect(segmentCombinations).toBe(1);
  });

  test('says how reports are sent, and how often the batches of two days are joined, if so many devices report', () => {
    const few = audit(document, '--devices', '100').stdout;
    expect(few).toContain('reports alone: each report is a batch of its own');
    expect(few).toMatch(
      /^linkability: [\d.]+ % of the batches of a day can be joined .*, if 100 devices report on a day\. .*platform, release-channel/m,
    );
    expect(few).toMatch(
      /^warning: linkable: .* ε does not bound this, because no answer is in it\. Have fewer segments and cohorts, or more devices\.$/m,
    );
    const together = audit({ ...document, reports: 'together' }, '--devices', '100').stdout;
    expect(together).toContain('reports together: the reports of one batch are known to be of one device');
    expect(together).toMatch(/^warning: linkable: .* the public part of home.* or `reports: 'alone'`\.$/m);
    expect(audit(document, '--devices', '10000000').stdout).not.toContain('linkable:');
    const { linkability, reports } = JSON.parse(audit(document, '--json').stdout);
    expect([linkability.devices, reports]).toEqual([document.devices, 'alone']);
    expect(audit(document, '--devices', '0')).toMatchObject({ status: 2, stdout: '' });
  });

  test('the statement says of each question what is asked, how often, by whom, until when, and what it gives away', () => {
    const statement = statementOf(document, spendingOf(document));
    expect(statement).toContain(
      [
        '- Is dark mode on? (dark)',
        '  Asked at most once in 7 days. Answers: yes or no.',
        '  Anyone who sees a report can be at most 1.2 times more confident in one answer over another. Where all answers were equally likely before (50.0 % each), one of them is then the true one with a probability of at most 52.5 %. All reports of any 365 days together: 201 times at most; of any 3,650 days: 10^23 times.',
        '  Asked by: design. Needed until 2027-01-31.',
      ].join('\n'),
    );
    expect(statement).toContain('the collector estimates which share of them stands for each answer.');
    expect(statement).toContain('Asked once. Answers: free, pro, team, für Schulen.\n  An answer that is not listed sends nothing');
    expect(statement).toContain('Answers: one of a list of 41.');
    expect(statement).toContain('Answers: theme (one of 2) together with sync (one of 2).');
    expect(statement).toContain(
      'kept for one month; later reports only repeat it, randomized again. All reports that repeat one kept answer together: 12.2 times',
    );
    expect(statement).toContain('All reports ever on one version of the question together: 54.6 times at most.');
    expect(statement).toContain('Nobody is named as its owner. No day is set on which it ends.');
    expect(statement).toContain('can be at most 263,022,895 times more confident in one set of answers over another.');
    expect(statement).toContain('and platform (web, ios), release-channel (stable, beta, nightly).');
    expect(statement).toContain('the address of the device and what its browser or system says of itself');
  });

  test('a budget of a day is one of one day', () => {
    const { document: daily } = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 1, per: 'day' },
      metrics: { dark: flag({ epsilon: 1, every: 'day', description: 'Is dark mode on?' }) },
    });
    const statement = statementOf(daily, spendingOf(daily));
    expect(statement).toContain('for the slots that begin on any one day can be at most 2.8 times');
    expect(statement).toContain('the answers of one day can fall into one slot more');
  });

  test('a factor is never rounded down', () => {
    expect(factor(ratio(271_829n, 100_000n))).toBe('2.8');
    expect(factor(ratio(3n, 1n))).toBe('3.0');
    expect(factor(ratio(999n, 10n))).toBe('99.9');
    expect(factor(ratio(99_901n, 1_000n))).toBe('100');
    expect(factor(ratio(12_345_678n, 10n))).toBe('1,234,568');
    expect(factor(ratio(2n * 10n ** 20n, 1n))).toBe('10^21');
  });
});

/** Four metrics of which each device answers what fits; three of them have `otherwise`. */
const assigned = (JSON.parse(readFileSync(path('../../vectors/certificate-assigned.json'), 'utf8')) as Certificate).document;
const assignedChange = (metric: string, fields: object): SchemaDocument =>
  ({ ...assigned, metrics: { ...assigned.metrics, [metric]: { ...assigned.metrics[metric], ...fields } } }) as SchemaDocument;

describe("assign: 'random'", () => {
  test('the budget bounds a window that all metrics together would exceed', () => {
    const { status, stdout } = audit(assigned, '--json');
    const { window, all, holds } = JSON.parse(stdout);
    expect({ status, holds, window }).toEqual({
      status: 0,
      holds: true,
      window: { epsilon: '6.000000000000', budget: 6, per: 'month', assign: 'random' },
    });
    expect(Number(all)).toBeCloseTo(14, 6);
    expect(audit(assigned).stdout).toMatch(/^assign random: .* all of them would spend ε 14\.000/m);
  });

  test('the sum of all bounds it where that is less, and a budget of many decimals is rounded up', () => {
    const wide = audit({ ...assigned, budget: { epsilon: 20, per: 'month' } }, '--json');
    expect(JSON.parse(wide.stdout)).toMatchObject({ holds: true, window: { epsilon: JSON.parse(wide.stdout).all } });
    const odd = audit({ ...assigned, budget: { epsilon: 6 + 1 / 3, per: 'month' } }, '--json');
    expect(JSON.parse(odd.stdout).window.epsilon).toBe('6.333333333334');
  });

  test.each([
    ['all metrics must fit without it', { ...assigned, assign: undefined }],
    ['each metric alone must fit', { ...assigned, budget: { epsilon: 4.9, per: 'month' } }],
    ['a charge that is claimed too small could let too much fit', assignedChange('plan', { epsilon: 0.5 })],
    ['the same of an epoch', assignedChange('theme', { permanent: { epsilon: 2, renew: 'year' } })],
  ])('a claim is broken where it is: %s', (_, broken) => {
    const { status, stdout } = audit(broken, '--json');
    const { holds, window, all } = JSON.parse(stdout);
    expect({ status, holds, epsilon: window.epsilon }).toEqual({ status: 1, holds: false, epsilon: all });
  });

  test('the statement says that each device is asked some of it, and what bounds that', () => {
    const statement = statementOf(assigned, spendingOf(assigned));
    expect(statement).toContain('Each device is asked only some of these questions, chosen by chance and never by an answer');
    expect(statement).toContain(
      'can be at most 404 times more confident in one set of answers over another. That is its budget: it is asked no more than fits.',
    );
    const { assign: _assign, ...plain } = { ...assigned, budget: { epsilon: 20, per: 'month' } as const };
    expect(statementOf(plain, spendingOf(plain))).not.toContain('only some of these');
    expect(statementOf({ ...plain, assign: 'random' }, spendingOf({ ...plain, assign: 'random' }))).not.toContain('That is its budget');
  });

  test('a budget beyond all numbers has a factor too', () => {
    const large = { ...assigned, budget: { epsilon: 2000, per: 'month' } } as const;
    const bounded = { ...spendingOf(assigned), window: '2000.000000000000' };
    expect(statementOf(large, bounded)).toContain('at most 10^869 times more confident');
  });
});

describe('otherwise', () => {
  test('is what the warning of visible participation asks for', () => {
    const of = (schema: object): unknown => JSON.parse(audit(schema, '--json').stdout).warnings;
    expect(of(assigned)).toMatchObject([
      { kind: 'unlisted-sends-nothing' },
      { kind: 'participation-visible', about: ['plan'] },
      { kind: 'storage' },
    ]);
    expect(of(assignedChange('plan', { otherwise: 'free' }))).toMatchObject([{ kind: 'unlisted-sends-nothing' }, { kind: 'storage' }]);
    expect(audit(assigned).stdout).toMatch(/^warning: participation visible: that a device answers plan, and on which day, is no secret/m);
  });

  test('is said in the statement in plain words, of those metrics that have it', () => {
    const statement = statementOf(assigned, spendingOf(assigned));
    const place = (answer: string): string =>
      `If you do not answer, this is reported in your place, randomized as an answer is: ${answer}.`;
    expect(statement.split('If you do not answer')).toHaveLength(4);
    for (const answer of ['no', 'none of these', 'none']) expect(statement).toContain(place(answer));
    expect(statement).toContain('The first answer, or what is reported in its place, is randomized once and kept');
    expect(statement).toContain('those of the last day of one slot and of the first day of the next are two reports.');
    expect(statementOf(document, spendingOf(document))).not.toContain('in your place');
  });
});

describe('what a law lets through', () => {
  const ask = { epsilon: 1, description: 'a question' } as const;
  const of = (metrics: Questions, epsilon = 40): SchemaDocument =>
    defineSchema({ app: 'notes', version: 1, budget: { epsilon, per: 'month' }, metrics }).document;

  test('is printed for an ε of 20, warned of, and denied nowhere', () => {
    const hiv = of({ hiv: flag({ ...ask, epsilon: 20, description: 'HIV status?' }), plain: flag({ ...ask, epsilon: 3 }) });
    const { stdout, status } = audit(hiv);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^warning: large ε: above 3 a report hides little\. One report may tell hiv \(ε 19\.984: the true answer with a probability of up to 99\.9999998 %\)\./m,
    );
    expect(stdout).toContain('one of them is then the true one with a probability of at most 99.9999998 %.');
    for (const claim of ['no true answer', 'nobody can tell', 'only the mean']) expect(stdout).not.toContain(claim);
    const { warnings, metrics } = JSON.parse(audit(hiv, '--json').stdout);
    expect(warnings[0]).toMatchObject({ kind: 'large-epsilon', about: ['hiv'] });
    expect(metrics[0].posterior).toEqual({ report: '99.9999998 %' });
  });

  test.each([
    ['a report above 3', of({ a: flag({ ...ask, epsilon: 3.1, every: 'once' }) }), 1],
    ['reports of a month above 8', of({ a: flag({ ...ask, epsilon: 0.3, every: 'day' }) }), 1],
    [
      'reports of many short windows above 8',
      { ...of({ a: flag({ ...ask, epsilon: 0.3, every: 'day' }) }), budget: { epsilon: 1, per: 'day' } },
      1,
    ],
    ['neither', of({ a: flag({ ...ask, epsilon: 3 }), b: flag({ ...ask, epsilon: 3 }), c: flag({ ...ask, epsilon: 2 }) }), 0],
  ])('fails the audit unless it is accepted: %s', (_, schema, expected) => {
    const file = join(folder, `large-${++files}.json`);
    writeFileSync(file, JSON.stringify(schema));
    const { status, stdout } = runCommand('audit', '--schema', file);
    expect(status).toBe(expected);
    expect(stdout.includes('A LARGE ε IS NOT ACCEPTED')).toBe(expected === 1);
    expect(runCommand('audit', '--schema', file, '--accept-large').status).toBe(0);
  });

  test('is printed with three decimals, and with all of them when that is asked', () => {
    const schema = of({ a: flag(ask) });
    const { stdout } = audit(schema);
    expect(stdout).not.toMatch(/ε .*\d\.\d{4,}/);
    expect(audit(schema, '--exact').stdout).toMatch(/^any month: ε 0\.\d{12} of a budget/m);
  });

  test('is the largest posterior that the matrix of the law has', () => {
    for (const answers of [2, 3, 5, 12]) {
      const list = Array.from({ length: answers }, (_, i) => `${i}`);
      const document = of({ list: choice(list, ask) });
      const { list: metric } = document.metrics;
      const { law } = metric as NonNullable<typeof metric>;
      expect(law).toEqual(listLaw(answers, 1));
      const odds = spendingOf(document).metrics[0]?.report.odds ?? ratio(1n, 1n);
      const found = posteriorOf(metric as NonNullable<typeof metric>, odds) ?? ratio(1n, 1n);
      // A column of the matrix: the answers that a report supports are `e` times as likely as the others.
      const supported = law.mechanism === 'subset' ? law.subset : 1;
      const e = Number(odds.numerator) / Number(odds.denominator);
      const column = list.map((_, i) => (i < supported ? e : 1));
      expect(Number(found.numerator) / Number(found.denominator)).toBeCloseTo(e / column.reduce((sum, x) => sum + x, 0), 12);
    }
  });

  test('is never rounded down, nor up to certainty', () => {
    expect([percent(ratio(1n, 2n)), percent(ratio(1n, 3n)), percent(ratio(999_999_999n, 10n ** 9n))]).toEqual([
      '50.0 %',
      '33.4 %',
      '99.9999999 %',
    ]);
    expect(percent(ratio(10n ** 40n - 1n, 10n ** 40n))).toBe('100 %');
  });

  test('is added up for a year, for ten, and for days of recording, by metric and in all', () => {
    const document = of({
      weekly: flag({ ...ask, every: 'week', otherwise: false }),
      monthly: flag(ask),
      once: flag({ ...ask, every: 'once' }),
      kept: permanent(flag({ ...ask, every: 'day' }), { epsilon: 2, renew: 'year' }),
      ever: permanent(flag({ ...ask, every: 'day' }), { epsilon: 2, renew: 'never' }),
    });
    const { metrics, recorded, year, life } = JSON.parse(audit(document, '--json').stdout);
    const rows = metrics.map(({ metric, times, epsilon }: { metric: string; times: number; epsilon: { [of: string]: string } }) => [
      metric,
      times,
      ...['window', 'recorded', 'year', 'life'].map((each) => Math.round(Number(epsilon[each]))),
    ]);
    expect(rows).toEqual([
      ['weekly', 5, 5, 6, 53, 522],
      ['monthly', 1, 1, 2, 13, 122],
      ['once', 1, 1, 1, 1, 1],
      ['kept', 1, 2, 4, 4, 22],
      ['ever', 1, 2, 2, 2, 2],
    ]);
    expect([recorded, year, life].map((each) => Math.round(Number(each)))).toEqual([15, 73, 669]);
    const text = audit(document).stdout;
    expect(text).toMatch(/^any month of days of recording, which may touch one slot more of a metric: ε 15\.000/m);
    expect(text).toMatch(/^any 365 days: ε 73\.000; any 3,650 days: ε 669\.000/m);
  });

  test('is added up over versions: a new law of a permanent question is a new epoch, and a renamed question a further one', () => {
    const version = (number: number, epsilon: number, name: string): SchemaDocument => ({
      ...of({
        kept: permanent(flag({ ...ask, epsilon, every: 'day' }), { epsilon: 2, renew: 'year' }),
        [name]: flag({ ...ask, every: 'year' }),
      }),
      version: number,
    });
    const [one, two, three] = [version(1, 1, 'a'), version(2, 0.9, 'b'), version(3, 0.8, 'c')];
    const files = [one, two].map((document) => {
      const file = join(folder, `version-${document.version}.json`);
      writeFileSync(file, JSON.stringify(document));
      return file;
    });
    const alone = JSON.parse(audit(three, '--json').stdout);
    expect([alone.year, alone.life].map((each) => Math.round(Number(each)))).toEqual([5, 32]);
    const all = JSON.parse(audit(three, '--json', '--history', ...files).stdout);
    // Of the permanent question two epochs by the first law and one by each other; and three questions, each once a year.
    expect([all.versions, ...[all.year, all.life].map((each) => Math.round(Number(each)))]).toEqual([[1, 2], 8 + 3, 26 + 30]);
    const { stdout } = audit(three, '--history', ...files);
    expect(stdout).toMatch(/^any 365 days: ε 11\.000; any 3,650 days: ε 56\.000, versions 1, 2 before this one included$/m);
    expect(stdout).toContain('in any 3,650 days, versions 1, 2 before this one included.');
    const other = audit(three, '--history', path('../../vectors/certificate.json'));
    expect([other.status, other.stdout]).toEqual([2, '']);
    expect(audit({ ...three, app: 'another' }, '--history', ...files)).toMatchObject({ status: 2, stdout: '' });
  });

  test('of a year is what as many windows can hold, where that is less than the sum of all questions', () => {
    const { year, life } = JSON.parse(audit(assigned, '--json').stdout);
    expect([Number(year), Number(life)]).toEqual([6 * 13, 6 * 122]);
  });

  test('includes presence, where what is not listed sends nothing', () => {
    const document = of({
      plan: choice(['a', 'b'], ask),
      open: choice(['a', 'b'], { ...ask, other: true }),
      sets: choices(['a', 'b', 'c'], { ...ask, atMost: 2 }),
      both: joint({ a: ['x', 'y'], b: [true, false] }, ask),
      tool: best(['a', 'b'], { ...ask, utility: { x: [0, 1], y: [1, 0] } }),
      size: mean([0, 1], ask),
    });
    const { warnings } = JSON.parse(audit(document, '--json').stdout);
    expect(warnings[0]).toMatchObject({ kind: 'unlisted-sends-nothing', about: ['plan', 'sets', 'both', 'tool'] });
    expect(warnings[0].words).toContain('`other: true` for choice and choices');
  });

  test('does not include activity, other installations, or a clock set forward, and says so', () => {
    const statement = statementOf(document, spendingOf(document));
    expect(statement).toContain('whether the answer was listed. That is visible, and so is that an installation reports at all.');
    expect(statement).toContain('An installation is one life of the storage');
    expect(statement).toContain('a device whose clock is set forward, which opens slots before their time.');
  });

  test('does not include what is sent as it is, which the statement lists to the last member of a batch', () => {
    const statement = statementOf(document, spendingOf(document));
    for (const clear of [
      'the version',
      'a checksum',
      'a random number',
      'names of the questions',
      'a day',
      'the public key',
      'the address',
    ])
      expect(statement).toContain(clear);
    expect(statement).toContain('Each report is a batch of its own.');
    expect(statementOf({ ...document, reports: 'together' }, spendingOf(document))).toContain('The reports of one batch arrive together');
  });

  test('is the same of a metric with the name of a member of every object', () => {
    const { status, stdout } = audit(of({ constructor: flag(ask) }), '--json');
    expect([status, JSON.parse(stdout).metrics[0].metric]).toEqual([0, 'constructor']);
  });
});

test.each([
  [{ ...document, format: 2 }, 'format'],
  [change('dark', { otherwise: 'no' }), 'metrics.dark.otherwise: expected an answer to the question, got "no"'],
  [change('font', { permanent: undefined }), 'irr exactly when the metric is permanent'],
  [change('dark', { law: { mechanism: 'k-ary', size: 3, truth: 2 ** 31 } }), 'a law over 2'],
])('what is no schema is bad input', (schema, message) => {
  const { status, stdout, stderr } = audit(schema);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('a schema whose reports come through a relay only says who sees addresses, in each language', () => {
  const relayed = { ...document, reports: 'alone', relay: 'required' } as SchemaDocument;
  expect(audit(relayed).stdout).toContain('Only a relay brings them, which sees addresses and not what is sent');
  expect(statementOf(relayed, spendingOf(relayed))).toContain(
    "The relay sees the address of the device, as every connection shows it, and can't read",
  );
  expect(statementOf(relayed, spendingOf(relayed), 'de')).toContain('Er sieht die Adresse des Geräts');
  expect(statementOf(document, spendingOf(document))).not.toContain('relay');
});

describe('murmuration audit --together', () => {
  const asked = defineSchema({
    app: 'shuffled',
    reports: 'alone',
    version: 1,
    budget: { epsilon: 40, per: 'month' },
    metrics: {
      dark: flag({ epsilon: 1, every: 'day', description: 'Uses the dark mode' }),
      word: permanent(choice(['a', 'b', 'c'], { epsilon: 1, description: 'A word' }), { epsilon: 2, renew: 'year' }),
    },
  });

  test('says both figures of each report and of all days, the unconditional one first, and ε∞ only for a permanent metric', () => {
    const { status, stdout } = audit(asked.document, '--together', '20000', '--delta', '1e-8');
    expect(status).toBe(0);
    const at = stdout.indexOf('If a relay hides who sends, neither it nor an issuer of tokens works with the collector');
    expect(stdout.slice(at)).toContain('at least 20,000 honest devices report with the same version, day and segments');
    expect(stdout.slice(at)).toMatch(/^dark +1\.000 +0\.0327 +0\.0325$/m);
    expect(stdout.slice(at)).toMatch(/^word +1\.000 +ε an epoch only *$/m);
    expect(stdout.slice(at)).toMatch(/any 30 days: unconditional ε [\d.]+, shuffled [\d.]+; any 365 days: [\d.]+, shuffled [\d.]+/);
  });

  test('gives them as numbers: 30 days cost far less than their sum, and ε∞ is added in full', () => {
    const { shuffled } = JSON.parse(audit(asked.document, '--together', '20000', '--json').stdout) as {
      readonly shuffled: { readonly delta: number; readonly days: { readonly month: number; readonly year: number } };
    };
    expect(shuffled.delta).toBe(1e-8);
    expect(shuffled.days.month).toBeGreaterThan(2 + 0.19);
    expect(shuffled.days.month).toBeLessThan(4 + 0.2);
    expect(shuffled.days.year).toBeLessThan(0.8 + 4);
  });

  test('is refused where a batch shows which reports are of one device, and adds up no days over several versions', () => {
    const { status, stderr } = audit({ ...asked.document, reports: 'together' }, '--together', '20000');
    expect([status, stderr]).toEqual([2, expect.stringContaining("--together: expected a schema with reports: 'alone'")]);
    const before = join(folder, 'before.json');
    writeFileSync(before, JSON.stringify(asked.document));
    const { stdout } = audit({ ...asked.document, version: 2 }, '--together', '20000', '--history', before);
    expect(stdout).toContain('What several versions spend in 30 or 365 days is not added up here');
  });
});
