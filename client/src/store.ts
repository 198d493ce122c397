/**
 * A context's view of its device's state. Between transactions it has a view, which serves to display the state and to refuse
 * records. Every decision that spends ε is made inside a transaction, on the stored state.
 */

import type { Storage } from './adapters/storage.ts';
import type { Device } from './device.ts';
import { type Answer, DENIED, GRANTED, mark, after as next } from './ledger/decision.ts';
import { emptyState, parseState, type State, spentState, stateText } from './ledger/state.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import { erase } from './outbox.ts';
import type { Spill } from './spill.ts';
import type { Consent, Outcome } from './types.ts';

export interface DeviceStore {
  /** The last stored state that this context knows of. */
  view: State;
  readonly consent: () => Consent['state'];
  /**
   * Runs one transaction. The result is undefined if it failed, and no outcome is reported. Nothing was then written, unless only the look
   * for the note after the transaction failed.
   *
   * @param work is told whether the person agrees
   * @param isWritten whether it writes even where nothing has changed, so that a write that fails does not tell whether anything had
   */
  readonly change: <T>(work: (state: State, isGranted: boolean) => T, isWritten?: boolean) => Maybe<T | undefined>;
  /** Stops waiting for a storage that does not answer. The decision known without it applies. */
  readonly giveUp: () => void;
  /** Applies the person's decision at once, and stores it together with the changes of `work`. */
  readonly decide: (answer: Answer, work: (state: State) => void) => Maybe<unknown>;
}

/**
 * @param changed called when the consent has changed or becomes known
 * @param isAway whether the page has been left
 */
export function createDeviceStore(
  storage: Storage,
  spill: Spill,
  name: string,
  device: Device,
  tell: (outcome: Outcome) => void,
  changed: () => void,
  isAway: () => boolean,
): DeviceStore {
  /** The last day on which the accounts of a state had a slot claimed. What `otherwise` answers replace changes no such day. */
  const lastDay = ({ accounts }: State): number => Math.max(0, ...Object.values(accounts).map(({ day }) => day));
  let decision = -1; // the newest that this context knows of; below 0 until it knows one
  let refusal = spill.decision(); // the newest refusal that this context knows of: its own transaction may never have completed
  const consentBy = (made: number): Exclude<Consent['state'], 'unknown'> =>
    made & DENIED ? 'denied' : made & GRANTED ? 'granted' : device.fallback;
  const consent = (): Consent['state'] => (decision < 0 ? 'unknown' : consentBy(decision));

  let isNoted: boolean | undefined; // whether the note beside the ledger was found
  /** Looks for the note beside the ledger that the person agrees, and goes on. */
  const look = <T>(then: () => Maybe<T>): Maybe<T> =>
    after(storage.agreed?.(name), (found) => {
      isNoted = found;
      return then();
    });
  /** True if a note that the ledger knows of was not found. */
  const isMissing = ({ noted }: State): boolean => !!noted && isNoted === false;

  /** The stored state, merged with everything newer that this context knows. */
  const enter = (stored: string | undefined): State => {
    // A ledger that is gone, but that this page or the spill remembers, counts as spent since its last claim. So another deletion does not
    // extend that.
    const last = Math.max(spill.spent(), lastDay(store.view));
    const read = stored || last > 0 ? attempt(() => parseState(stored as string)) : emptyState();
    const day = stored ? Math.max(last, device.today()) : last;
    if (!(read || day > 0)) throw name; // a clock that gives no day: it would be spent since never
    const state = read ?? spentState(device, store.view.accounts, day);
    const known = Math.max(decision, spill.decision());
    // If the database was deleted while this page was open, the spent ε must not become available again. After a later decision that erased
    // the state, the stored accounts apply.
    if (state.decision >> 2 <= store.view.decision >> 2) {
      for (const [metric, account] of Object.entries(store.view.accounts)) {
        if (!((state.accounts[metric]?.day as number) >= account.day)) state.accounts[metric] = account;
      }
      state.day = Math.max(state.day, store.view.day);
    }
    if (!read) {
      device.said.push({ result: 'storage-reset' });
      // The agreement was lost with the ledger, and a refusal may have been: a person who had agreed is asked again.
      state.decision = next(known, device.fallback === 'granted' || known & DENIED ? DENIED : 0);
    }
    if (known & DENIED) refusal = known;
    if (refusal & DENIED && refusal >= state.decision) erase(device, state);
    state.decision = Math.max(state.decision, known);
    if (isNoted || state.decision & DENIED) state.noted = isNoted;
    return state;
  };

  const learn = (made: number): void => {
    const old = consent();
    decision = Math.max(decision, made);
    if (decision & DENIED) refusal = decision;
    if (consent() !== old) changed();
  };

  const store: DeviceStore = {
    view: emptyState(),
    consent,
    change: (work, isWritten) =>
      attempt(() =>
        look(() => {
          if (isAway()) throw name; // a page that was left meanwhile begins nothing
          const transacted = storage.transact(name, (stored) => {
            device.said = [];
            const state = enter(stored);
            const isGranted = consentBy(state.decision) === 'granted' && !isMissing(state);
            const result = work(state, isGranted);
            const text = stateText(state);
            // Nothing is created in the storage before the person has decided.
            const isKept = (text !== stored || (isWritten && isGranted)) && (stored || isGranted || state.decision);
            return { next: isKept ? text : undefined, result: [state, isGranted, result, device.said] as const };
          });
          return after(transacted, ([state, isGranted, result, said]) =>
            look(() => {
              store.view = state;
              spill.spent(lastDay(state));
              // The consent is granted by default: nobody has written the note. One that the ledger knows of was erased, by a refusal.
              if (isGranted && !state.decision && !state.noted && isNoted === false) void attempt(() => storage.agreed?.(name, true));
              // The note was found missing after the ledger knew of it: the person has refused, and what waits is erased.
              const isRefused = isMissing(state);
              learn(isRefused ? next(state.decision, DENIED) : state.decision);
              spill.decision(mark(decision)); // a grant only now that it is stored: other pages hear of it, and read it where the ledger lives
              said.forEach(tell);
              if (isRefused) void store.change(() => {});
              return result;
            }),
          );
        }),
      ) as Maybe<never>,
    giveUp: () => learn(spill.decision()),
    decide: (answer, work) => {
      const made = next(Math.max(decision, spill.decision()), answer);
      void attempt(() => storage.agreed?.(name, answer === GRANTED));
      if (answer === DENIED) spill.decision(mark(made));
      learn(made);
      return store.change((state) => {
        // A decision that another context stored meanwhile is earlier, because transactions run one after the other.
        if (!(state.decision & answer)) state.decision = next(state.decision, answer);
        work(state);
        state.noted = undefined; // a note that is written again counts once it is found
        return true;
      });
    },
  };
  return store;
}
