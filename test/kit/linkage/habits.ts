/** When people open an app, and when a collector or a network fails, as fleets of simulated devices do it. */

/** A uniform number from 0 to 1. */
type Random = () => number;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** An opening of the app: the time since the first day began, and how long it is open. */
export interface Visit {
  readonly at: number;
  readonly lasting: number;
}

/** When a device's person opens the app, on so many days. */
export type Habit = (days: number, random: Random) => readonly Visit[];

/** A time in which something fails, from and to. */
export type Outage = readonly [from: number, to: number];

const eachDay = (days: number, visit: (day: number) => readonly Visit[]): readonly Visit[] =>
  Array.from({ length: days }, (_, day) => visit(day)).flat();

/** So many visits a day, each at any time. */
export const daily =
  (lasting: number, times = 1): Habit =>
  (days, random) =>
    eachDay(days, (day) => Array.from({ length: times }, () => ({ at: day * DAY + random() * (DAY - lasting), lasting })));

/** One visit on the first day, and none later. */
export const once =
  (lasting: number): Habit =>
  (_days, random) => [{ at: random() * (DAY - lasting), lasting }];

/** One visit on the first day, and one at any time of each seventh day. */
export const weekly =
  (lasting: number): Habit =>
  (days, random) =>
    eachDay(days, (day) => (day % 7 === 0 ? [{ at: day * DAY + random() * (DAY - lasting), lasting }] : []));

/** Six visits in one hour of each day. */
export const inOneHour =
  (lasting: number): Habit =>
  (days, random) =>
    eachDay(days, (day) => {
      const hour = day * DAY + random() * (DAY - HOUR);
      return Array.from({ length: 6 }, () => ({ at: hour + random() * (HOUR - lasting), lasting }));
    });

/** A visit in the same half hour of each day, which is the device's own. */
export const atItsHour =
  (lasting: number): Habit =>
  (days, random) => {
    const own = random() * (DAY - HOUR);
    return eachDay(days, (day) => [{ at: day * DAY + own + (random() * HOUR) / 2, lasting }]);
  };

/** Open all the time, and loaded again at the same time of each day. */
export const always: Habit = (days, random) => {
  const own = random() * DAY;
  return eachDay(days - 1, (day) => [{ at: day * DAY + own, lasting: DAY - MINUTE }]);
};

/** Three days in a row, among the first six. */
export const threeDays = (random: Random): readonly Outage[] => {
  const from = random() * 3 * DAY;
  return [[from, from + 3 * DAY]];
};

/** Six hours in each 34. */
export const bursts: readonly Outage[] = Array.from({ length: 30 }, (_, i) => [i * 34 * HOUR, i * 34 * HOUR + 6 * HOUR]);
