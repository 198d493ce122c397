/** The ledger over 60 days of the page's clock: slots, the budget, one app name, refusals and forgetting. */

import { type Batch, DAYS } from '@murmuration/shared';
import { batchesOf } from '../batches.ts';
import { type Check, listed, row } from '../check.ts';
import type { Seen } from '../investigation.ts';

const SLOTS = 'slots over 60 days';
const BUDGET = 'budget over 60 days';
const NAMES = 'one app name';

const batches = ({ sent }: Seen): readonly Batch[] => batchesOf(sent).flatMap(({ batch }) => batch ?? []);

/** How many reports of each metric were sent, whatever the schema is called. */
function countsOf(seen: Seen): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { reports } of batches(seen)) for (const [metric] of reports) counts[metric] = (counts[metric] ?? 0) + 1;
  return counts;
}

export const slots: Check = {
  name: SLOTS,
  run: async (investigation) => {
    const { devices } = await investigation.known();
    if (devices.length === 0 || investigation.site.plan.acts === undefined)
      return [row(SLOTS, 'not tested', 'no telemetry was found, or the plan names no answers')];
    const months = await investigation.months();
    const last = months.at(-1)?.[1];
    const counts = last ? countsOf(last) : {};
    if (Object.keys(counts).length === 0) return [row(SLOTS, 'not tested', 'no report was sent')];
    const metrics = Object.assign(
      {},
      ...devices.map(({ document }) => document.metrics),
    ) as (typeof devices)[number]['document']['metrics'];
    const faults = months.flatMap(([day, seen]) =>
      Object.entries(countsOf(seen)).flatMap(([name, count]) => {
        const every = metrics[name]?.every;
        const most = every === undefined ? undefined : Math.floor(day / DAYS[every]) + 1;
        return most !== undefined && count > most ? [`${count} reports of ${name} until day ${day}, which has ${most} slots`] : [];
      }),
    );
    const rows = [
      faults.length > 0
        ? row(SLOTS, 'failed', listed(faults))
        : row(
            SLOTS,
            'passed',
            `${months.length} visits, two clicks on each: ${Object.entries(counts)
              .map(([name, count]) => `${count} of ${name}`)
              .join(', ')}, at most one a slot`,
          ),
    ];
    const spent = devices.map(({ document: { metrics: asked, budget } }) => {
      const sum = Object.entries(asked).reduce((total, [name, { epsilon, permanent }]) => {
        const count = counts[name] ?? 0;
        return total + (permanent ? Math.min(count, 1) * permanent.epsilon : count * epsilon);
      }, 0);
      return { sum, most: budget.epsilon * Math.ceil(61 / DAYS[budget.per]) };
    });
    const over = spent.find(({ sum, most }) => sum > most * (1 + 1e-9));
    const [first] = spent;
    return [
      ...rows,
      over
        ? row(BUDGET, 'failed', `the reports of 61 days spend ε ${over.sum}, and its windows hold ${over.most}`)
        : row(BUDGET, 'passed', `the reports of 61 days spend ε ${first?.sum} of ${first?.most}`),
    ];
  },
};

export const oneName: Check = {
  name: NAMES,
  run: async (investigation) => {
    const { devices } = await investigation.known();
    const stories = (await investigation.stories()).map(([, seen]) => seen);
    const months = investigation.site.plan.acts && devices.length > 0 ? await investigation.months() : [];
    const seen = [...stories, ...months.slice(-1).map(([, each]) => each)];
    const apps = new Map<string, Set<string>>();
    const add = (metric: string, app: string): unknown => apps.set(metric, new Set([...(apps.get(metric) ?? []), app]));
    for (const { document } of devices) for (const metric of Object.keys(document.metrics)) add(metric, document.app);
    for (const { schema, reports } of seen.flatMap(batches)) for (const [metric] of reports) add(metric, schema.split('/')[0] ?? '');
    if (apps.size === 0) return [row(NAMES, 'not tested', 'no telemetry was found, and no report was sent')];
    const twice = [...apps].filter(([, names]) => names.size > 1);
    if (twice.length > 0)
      return [
        row(
          NAMES,
          'failed',
          `each app name has a budget of its own, and ${listed(twice.map(([metric, names]) => `${metric} is asked under ${[...names].join(' and ')}`))}`,
        ),
      ];
    return [
      row(
        NAMES,
        'passed',
        `all questions are asked under ${[...new Set([...apps.values()].flatMap((names) => [...names]))].join(', ')}, each under one name`,
      ),
    ];
  },
};

const stops = (name: string, of: 'deny' | 'forget', words: string): Check => ({
  name,
  run: async (investigation) => {
    const selector = investigation.site.plan[of];
    if (selector === undefined) return [row(name, 'not tested', `the plan names no "${of}"`)];
    const { devices } = await investigation.known();
    if (devices.length === 0) return [row(name, 'not tested', 'no telemetry was found')];
    const { before, seen } = await investigation.after(selector);
    const reports = seen.sent.filter(({ isReport }) => isReport);
    if (reports.length > before) return [row(name, 'failed', `${words} a report was sent: ${reports[before]?.body}`)];
    return [row(name, 'passed', `${words} no report was sent, of waiting answers or of new ones, on the same day and eight days later`)];
  },
});

export const refusing: Check = stops('refusing', 'deny', 'after the refusal');
export const forgetting: Check = stops('forgetting', 'forget', 'after forgetting');
