/** How apps share the ids: against any flood, in any order, an app below its share is admitted; and no more ids are kept than there may be. */

import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppIds } from '#collector/storage/quota.ts';

function create(most: number, apps: readonly string[]): AppIds {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE app_ids (app TEXT, day INTEGER, ids INTEGER, PRIMARY KEY (app, day))');
  const ids = new AppIds(database, most);
  ids.share(apps);
  return ids;
}

/** A store of ids that are only counted, with what each app holds. */
class Counted {
  readonly held = new Map<string, Map<number, number>>();
  readonly #ids: AppIds;

  constructor(ids: AppIds) {
    this.#ids = ids;
  }

  of(app: string): number {
    return [...(this.held.get(app)?.values() ?? [])].reduce((sum, ids) => sum + ids, 0);
  }

  get all(): number {
    return [...this.held.keys()].reduce((sum, app) => sum + this.of(app), 0);
  }

  /** Judges a group, and returns which of its batches were admitted. */
  group(apps: readonly string[], day = 0): readonly boolean[] {
    const quota = this.#ids.quota(this.all);
    const admitted = apps.map((app) => {
      const usage = quota.usageOf(app);
      if (!quota.hasRoom(usage)) return false;
      quota.take(usage);
      return true;
    });
    for (const app of new Set(apps)) {
      const ids = apps.filter((each, i) => each === app && admitted[i]).length;
      this.#ids.add(app, day, ids);
      const days = this.held.get(app) ?? new Map<number, number>();
      this.held.set(app, days.set(day, (days.get(day) ?? 0) + ids));
    }
    return admitted;
  }

  expire(before: number): void {
    this.#ids.write();
    this.#ids.written();
    this.#ids.expire(before);
    for (const days of this.held.values()) for (const day of days.keys()) if (day < before) days.delete(day);
  }

  /** Sends batches of one app until none is admitted. */
  flood(app: string, day = 0): void {
    while (
      this.group(
        Array.from({ length: 50 }, () => app),
        day,
      ).includes(true)
    );
  }
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** What an adversary does: groups of batches of any apps, of any days, and days that end. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ apps: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 30 }), day: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ flood: fc.constantFrom(...NAMES), day: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ before: fc.nat(6) }) },
  ),
  { maxLength: 40 },
);

describe('whatever is sent, in whatever order', () => {
  test('an app below its share is admitted, no app loses it, and the ids are never more than there may be', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: NAMES.length }), steps, (most, number, all) => {
        const apps = NAMES.slice(0, number);
        const share = Math.floor(most / (2 * number));
        const store = new Counted(create(most, apps));
        for (const step of all) {
          if ('before' in step) store.expire(step.before);
          else if ('flood' in step) store.flood(apps[NAMES.indexOf(step.flood) % number] as string, step.day);
          else {
            const sent = step.apps.map((name) => apps[NAMES.indexOf(name) % number] as string);
            const held = new Map(apps.map((app) => [app, store.of(app)]));
            for (const [i, isAdmitted] of store.group(sent, step.day).entries()) {
              const [app, before] = [sent[i] as string, held.get(sent[i] as string) ?? 0];
              if (before < share) expect(isAdmitted).toBe(true);
              if (isAdmitted) held.set(app, before + 1);
            }
          }
          expect(store.all).toBeLessThanOrEqual(most);
        }
        for (const app of apps) {
          const missing = Math.max(0, share - store.of(app));
          expect(store.group(Array.from({ length: missing }, () => app))).toEqual(Array(missing).fill(true));
        }
        expect(store.all).toBeLessThanOrEqual(most);
      }),
    );
  });

  test('it makes no difference how batches fall into groups', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 }),
        fc.array(fc.constantFrom(...NAMES), { maxLength: 150 }),
        fc.nat(20),
        (most, sent, size) => {
          const [one, other] = [new Counted(create(most, NAMES)), new Counted(create(most, NAMES))];
          const alone = sent.map((app) => one.group([app])[0]);
          const grouped: boolean[] = [];
          for (let at = 0; at < sent.length; at += size + 1) grouped.push(...other.group(sent.slice(at, at + size + 1)));
          expect(grouped).toEqual(alone);
        },
      ),
    );
  });
});

test('one app alone may hold 17/18 of the ids; each of n floods, one after the other, leaves the last app its share', () => {
  const alone = new Counted(create(18_000, ['a']));
  alone.flood('a');
  expect(alone.of('a')).toBe(17_000);
  for (let n = 1; n < NAMES.length; n++) {
    const store = new Counted(create(18_000, NAMES.slice(0, n + 1)));
    for (const app of NAMES.slice(0, n)) store.flood(app);
    store.flood(NAMES[n] as string);
    expect(store.of(NAMES[n] as string)).toBeGreaterThanOrEqual(18_000 / (2 * (n + 1)));
  }
});

test('an app that is published during a flood has what is free, and its share when the flood is over', () => {
  const ids = create(900, ['a', 'b']);
  const store = new Counted(ids);
  for (const app of ['a', 'b', 'a']) store.flood(app);
  const free = 900 - store.all;
  ids.share(['c']);
  expect(
    store
      .group(
        Array.from({ length: 150 }, () => 'c'),
        1,
      )
      .filter(Boolean),
  ).toHaveLength(Math.min(free, 150));
  store.expire(1);
  for (const app of ['a', 'b']) store.flood(app, 1);
  store.flood('c', 1);
  expect(store.of('c')).toBeGreaterThanOrEqual(150);
  expect(store.all).toBeLessThanOrEqual(900);
});
