/**
 * Exact coupling: whole telemetries live twice on the same coins, clock, faults and visits, once with and once without hidden records.
 * Every byte that is sent, its time and place, every outcome of another metric, every transaction and write that others could see and every
 * timer must be equal.
 */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import type { Outcome } from '../outcome.ts';
import { createLife, DAY, type Health, type Life, type Network, type Setup } from './coupled-life.ts';
import { ANSWERS } from './coupled-schemas.ts';

const HOUR = 3_600_000;
const WAITS = [500, 5_000, 60_000, HOUR, 9 * HOUR, DAY, DAY, 3 * DAY, 8 * DAY, 31 * DAY];
const NETWORKS: readonly Network[] = ['works', 'works', 'works', 'busy', 'down', 'offline', 'silent', 'refuses', 'stops'];
const HEALTHS: readonly Health[] = ['works', 'works', 'works', 'works', 'held', 'reads fail', 'writes fail', 'writes fail', 'throws'];

type Draw = (below: number) => number;
const pick = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T;

/** What is recorded, and what follows: the next record in the same tick, in the next microtask or later, or this one in a microtask. */
interface Said {
  readonly metric: string;
  readonly value: unknown;
  readonly gap: 'at once' | 'queued' | 'next' | 'later';
}
interface Step {
  readonly what: string;
  readonly which: number;
  readonly said: readonly Said[];
  readonly number: number;
}

/** How often each thing happens. */
const STEPS: readonly string[] = Object.entries({
  record: 14,
  'record and leave': 3,
  'record away': 2,
  leave: 2,
  return: 4,
  reload: 3,
  open: 2,
  close: 1,
  kill: 1,
  fuse: 2,
  'kill all': 1,
  hide: 4,
  flush: 3,
  look: 2,
  wait: 8,
  network: 4,
  storage: 5,
  'spill fails': 1,
  erase: 3,
  grant: 3,
  deny: 1,
  forget: 1,
  release: 2,
  'turn clock': 1,
}).flatMap(([what, weight]) => new Array<string>(weight).fill(what));

function storyOf(seed: number, isRelayed: boolean): { readonly setup: Setup; readonly steps: readonly Step[] } {
  const { uniform: draw } = createCoins(words(seededRng(seed)));
  const isLater = draw(5) > 0;
  // A storage that answers at once would use words that were drawn in the microtask before, for whichever record.
  const gaps = isLater ? (['at once', 'at once', 'queued', 'next', 'later'] as const) : (['at once', 'later'] as const);
  const said = (): Said => {
    const [metric, answers] = pick(draw, ANSWERS);
    return { metric, value: pick(draw, answers), gap: pick(draw, gaps) };
  };
  const hasSpill = isLater && draw(4) > 0;
  const setup: Setup = {
    seed,
    isLater,
    hasSpill,
    hasNote: isLater && draw(4) > 0,
    hasNews: draw(3) > 0,
    consent: draw(2) > 0 ? 'granted' : 'ask',
    upload: draw(4) > 0 ? 'soon' : 'later',
    sampleRate: draw(6) > 0 ? 1 : 0.5,
    batchesPerDay: pick(draw, [1, 2, 8]),
    isRelayed,
  };
  const steps = Array.from({ length: 6 + draw(28) }, () => ({
    what: pick(draw, STEPS),
    which: draw(4),
    said: Array.from({ length: 1 + draw(5) }, said),
    number: draw(1_000),
  }));
  return { setup, steps: [{ what: 'grant', which: 0, said: [], number: 0 }, ...steps] };
}

/** Lives a story. Contexts beyond the third are not opened. */
async function live(life: Life, steps: readonly Step[]): Promise<void> {
  life.begin('start');
  const contexts = [life.open()];
  await life.settle();
  for (const [i, { what, which, said, number }] of steps.entries()) {
    life.begin(`step ${i}`);
    let at = which % contexts.length;
    const open = (): void => {
      contexts[at] = life.open();
    };
    if (what === 'open' && contexts.length < 3) {
      at = contexts.length;
      open();
    }
    if (!contexts[at]?.isAlive) open();
    const context = contexts[at] as (typeof contexts)[number];
    const { telemetry } = context;
    const record = async (): Promise<void> => {
      for (const [j, { metric, value, gap }] of said.entries()) {
        const say = (): void => life.record(context, metric, value, `step ${i} record ${j}`);
        gap === 'queued' ? queueMicrotask(say) : say();
        if (gap === 'next') await undefined;
        if (gap === 'later') await life.settle();
      }
    };
    const leave = (): void => {
      context.tell('leave');
      context.isAway = true;
    };
    const goBack = (): void => {
      context.isAway = false;
      context.tell('return');
    };
    const kill = (): void => {
      for (const each of contexts) life.die(each);
    };
    const steps: { readonly [what: string]: () => unknown } = {
      record: () => !context.isAway && record(),
      'record and leave': async () => {
        if (context.isAway) return;
        await record();
        for (let turn = number % 5; turn > 0; turn--) await undefined;
        leave();
      },
      // Listeners of the page's own that run after ours, while it is being left.
      'record away': async () => {
        if (!context.isAway) leave();
        await record();
      },
      leave: () => !context.isAway && leave(),
      return: () => context.isAway && goBack(),
      reload: () => {
        if (!context.isAway) leave();
        life.die(context);
        open();
      },
      close: () => void telemetry.close().then(() => life.note(context, 'is closed')),
      kill: () => life.die(context),
      fuse: () => {
        context.fuse = { steps: number % 3, isWritten: number % 2 > 0 };
      },
      'kill all': () => {
        kill();
        life.loseSpill();
      },
      hide: () => !context.isAway && void context.tell('flush'),
      flush: () => !context.isAway && void telemetry.flush().then(() => life.note(context, 'has flushed')),
      look: () => !context.isAway && void telemetry.look().then(() => life.note(context, 'has looked')),
      wait: () => life.wait(WAITS[number % WAITS.length] as number),
      network: () => life.setNetwork(NETWORKS[number % NETWORKS.length] as Network),
      storage: () => life.setHealth(HEALTHS[number % HEALTHS.length] as Health),
      'spill fails': () => life.fillSpill(number % 2 > 0),
      erase: () => {
        life.erase(pick((below) => number % below, ['databases', 'databases', 'both', 'spill', 'damage', 'note'] as const));
      },
      grant: () => telemetry.consent.grant(),
      deny: () => telemetry.consent.deny(),
      forget: () => void telemetry.forget(),
      release: () => life.release(number),
      'turn clock': () => life.turnClock((number % 2 > 0 ? 1 : -1) * (WAITS[number % WAITS.length] as number)),
    };
    await steps[what]?.();
    await life.settle();
  }
  // Everything works again, and what waits is sent.
  life.begin('end');
  life.setHealth('works');
  life.setNetwork('works');
  life.fillSpill(false);
  for (const context of contexts) {
    context.isAway = false;
    context.fuse = undefined;
    if (context.isAlive) context.tell('return');
    await life.settle();
  }
  const last = life.open();
  await life.settle();
  last.telemetry.consent.grant();
  await life.settle();
  for (let day = 0; day < 10; day++) {
    await life.wait(DAY);
    life.begin(`last day ${day}`);
    last.tell('flush');
    await life.settle();
  }
}

/** Where two lives of a story differ first; undefined if nowhere. */
async function difference(
  seed: number,
  steps: readonly Step[],
  setup: Setup,
): Promise<readonly [string | undefined, string | undefined, number] | undefined> {
  const traces: string[][] = [];
  for (const isHiding of [false, true]) {
    const life = createLife({ ...setup, seed }, isHiding);
    await live(life, steps);
    traces.push(life.trace);
  }
  const [without = [], hiding = []] = traces;
  const at = hiding.findIndex((line, i) => line !== without[i]);
  return at < 0 && hiding.length === without.length ? undefined : [without.at(at), hiding.at(at), at];
}

/** Leaves out steps as long as a difference remains. */
async function shortest(seed: number, { setup, steps }: ReturnType<typeof storyOf>): Promise<readonly Step[]> {
  let left = steps;
  for (let i = 0; i < left.length; ) {
    const fewer = left.filter((_, j) => j !== i);
    if (await difference(seed, fewer, setup)) left = fewer;
    else i++;
  }
  return left;
}

/** Lives this many stories twice, directly or with every report through a relay. */
export async function coupling(stories: number, first: number, isRelayed: boolean = false): Promise<Outcome> {
  const failures: string[] = [];
  let [steps, differing] = [0, 0];
  for (let seed = first; seed < first + stories; seed++) {
    const story = storyOf(seed, isRelayed);
    steps += story.steps.length;
    const found = await difference(seed, story.steps, story.setup);
    if (!found) continue;
    differing++;
    if (failures.length > 0) continue;
    const least = await shortest(seed, story);
    const [without, hiding] = (await difference(seed, least, story.setup)) ?? found;
    const told = least.map(
      ({ what, which, said, number }) => `${what} ${which} ${number} ${said.map(({ metric, gap }) => `${metric} ${gap}`)}`,
    );
    failures.push(`story ${seed} ${JSON.stringify(story.setup)}: without "${without}", with "${hiding}"; ${told.join(' | ')}`);
  }
  return {
    fault: isRelayed ? 'coupling through a relay' : 'coupling',
    tried: `${stories.toLocaleString('en')} stories, ${steps.toLocaleString('en')} steps, two lives each, from seed ${first}`,
    seen: `${differing} differ`,
    failures,
  };
}
