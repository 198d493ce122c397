/**
 * What a context knows of its device's state. Between transactions that is a view, for people and for refusals; every decision that
 * spends is made inside a transaction, over what is stored.
 */

import type { Storage } from './adapters/storage.ts';
import type { Device } from './device.ts';
import { newer, UNDECIDED } from './ledger/decision.ts';
import { emptyState, parseState, type State, spentState, stateText } from './ledger/state.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import { erase } from './outbox.ts';
import type { Spill } from './spill.ts';
import type { Consent, Outcome } from './types.ts';

export interface DeviceStore {
  /** What was last stored, as far as this context knows. */
  view: State;
  readonly consent: () => Consent['state'];
  /**
   * One transaction. Undefined where it failed: then nothing was written, and nothing is said.
   *
   * @param work is told whether the person agrees
   * @param isSeen whether this context may go by what it reads here: not where only a recording was the reason to read
   */
  readonly change: <T>(work: (state: State, isGranted: boolean) => T, isSeen?: boolean) => Maybe<T | undefined>;
  /** The storage does not answer: what is known without it holds. */
  readonly giveUp: () => void;
  /** The person decides here: told at once, and stored, with what `work` changes. */
  readonly decide: (value: State['decision']['value'], work: (state: State) => void) => Maybe<unknown>;
}

/**
 * @param fallback the consent that holds until the person decides
 * @param changed the consent is another, or is known
 */
export function createDeviceStore(
  storage: Storage,
  spill: Spill,
  name: string,
  device: Device,
  fallback: Exclude<Consent['state'], 'unknown'>,
  tell: (outcome: Outcome) => void,
  changed: () => void,
): DeviceStore {
  let decision = UNDECIDED;
  let refusal = spill.decision(); // the newest that this context knows of: its own transaction may never have been done
  let isKnown = false;
  const answerTo = ({ value }: State['decision']): Exclude<Consent['state'], 'unknown'> => value || fallback;
  const consent = (): Consent['state'] => (isKnown || decision.value ? answerTo(decision) : 'unknown');

  /** What is stored, with all that this context knows to be newer. */
  const enter = (stored: string | undefined): State => {
    const read = stored ? attempt(() => parseState(stored)) : emptyState();
    const state = read ?? spentState(device, {}, device.today());
    const known = newer(decision, spill.decision());
    if (!read) {
      device.said.push({ result: 'storage-reset' });
      // A refusal may be lost, and what lies in the spill be older: who had agreed is asked again.
      state.decision = { count: known.count + 1, value: fallback === 'granted' || known.value === 'denied' ? 'denied' : '' };
    }
    // A database that was deleted under this page must not give it back what it has spent; one that was erased by a decision since may.
    if (state.decision.count <= store.view.decision.count) {
      for (const [metric, account] of Object.entries(store.view.accounts)) {
        if (!((state.accounts[metric]?.day ?? -1) >= account.day)) state.accounts[metric] = account;
      }
      state.day = Math.max(state.day, store.view.day);
    }
    if (known.value === 'denied') refusal = known;
    if (refusal.value === 'denied' && refusal.count >= state.decision.count) erase(device, state);
    state.decision = newer(state.decision, known);
    return state;
  };

  const learn = (next: State['decision']): void => {
    const old = consent();
    decision = newer(decision, next);
    if (decision.value === 'denied') refusal = decision;
    isKnown = true;
    if (decision.count > spill.decision().count) spill.decide(decision);
    if (consent() !== old) changed();
  };

  const store: DeviceStore = {
    view: emptyState(),
    consent,
    change: (work, isSeen = true) =>
      attempt(() =>
        after(
          storage.transact(name, (stored) => {
            device.said = [];
            const state = enter(stored);
            const isGranted = answerTo(state.decision) === 'granted';
            const result = work(state, isGranted);
            const text = stateText(state);
            // Before the person has decided nothing is created.
            const isKept = text !== stored && (stored || isGranted || state.decision.value);
            return { next: isKept ? text : undefined, result: { state, result, said: device.said } };
          }),
          ({ state, result, said }) => {
            if (isSeen) store.view = state;
            learn(state.decision);
            said.forEach(tell);
            return result;
          },
        ),
      ) as Maybe<never>,
    giveUp: () => learn(spill.decision()),
    decide: (value, work) => {
      learn({ count: newer(decision, spill.decision()).count + 1, value });
      return store.change((state) => {
        // Whoever decided meanwhile did so earlier: transactions come one after the other.
        if (state.decision.value !== value) state.decision = { count: state.decision.count + 1, value };
        work(state);
        return true;
      });
    },
  };
  return store;
}
