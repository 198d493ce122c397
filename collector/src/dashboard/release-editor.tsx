// The editor of a question. It shows what the answer would cost and how far it would be off before anything is spent.

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { inWords } from './api.ts';
import { count } from './format.ts';
import { fetchAnswer, fetchPreview, type Preview, type ReleaseTable } from './release-api.ts';
import { type Draft, firstDraft, questionOf } from './release-draft.ts';

/** Milliseconds without a change until a draft is previewed. */
const PAUSE = 250;

const KINDS = { count: 'reports', days: 'reports by day, for any range', mostUsed: 'most used', median: 'median', sum: 'sum' } as const;

type Options = readonly (readonly [value: string, label: string])[];

function Menu({
  name,
  value,
  options,
  onChoose,
}: {
  name: string;
  value: string;
  options: Options;
  onChoose: (value: string) => void;
}): VNode {
  return (
    <label class="choice">
      <span class="choice-name">{name}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A field with its name. The control has the id. */
function Field({ name, id, children }: { name: string; id: string; children: VNode }): VNode {
  return (
    <div class="choice release-field">
      <label class="choice-name" for={id}>
        {name}
      </label>
      {children}
    </div>
  );
}

type Typed = { currentTarget: HTMLInputElement };

/** The preview of a draft, or why there is none. */
function usePreview(draft: Draft, asked: number): Preview | string | null {
  const [found, setFound] = useState<Preview | string | null>(null);
  const text = JSON.stringify(questionOf(draft));
  // After an answer, what is left has changed.
  useEffect(() => {
    const control = new AbortController();
    const timer = setTimeout(() => {
      fetchPreview(JSON.parse(text), control.signal).then(setFound, (problem: unknown) => {
        if (!control.signal.aborted) setFound(inWords(problem));
      });
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [text, asked]);
  return found;
}

function Expected({ preview }: { preview: Preview | string | null }): VNode {
  if (preview === null) return <p class="quiet">…</p>;
  if (typeof preview === 'string') return <p class="problem">{preview}</p>;
  const { cost, perDevice, days, errors, left, bound } = preview;
  const [first] = errors;
  const what =
    first?.measure.kind === 'mostUsed'
      ? 'The value has at most'
      : first?.measure.kind === 'median'
        ? 'The rank is off by at most'
        : 'Each number is off by at most';
  return (
    <div class="release-expected" role="status">
      <p>
        {what} <strong>{count(Math.ceil(first?.error.within ?? 0))}</strong>
        {first?.measure.kind === 'mostUsed' && ' reports fewer than the best'}, with a probability of 95&nbsp;%
        {first?.error.allWithin !== undefined && `; none of them by more than ${count(Math.ceil(first.error.allWithin))}`}.
        {first?.error.ranges !== undefined &&
          ` Sums over ranges of days have a standard error of ${count(Math.ceil(first.error.ranges.mean))}, at worst ${count(Math.ceil(first.error.ranges.worst))}.`}
      </p>
      <p>
        It costs <strong>ε {cost.epsilon}</strong> for each device-day, of at most {bound} {bound === 1 ? 'report' : 'reports'}
        {days > 1 && `; ε ${perDevice.epsilon} for a device that reports on all ${days} days`}. You have{' '}
        {left === undefined ? 'no budget here' : `${left} left`}.
      </p>
    </div>
  );
}

export function Editor({ tables, onAnswer }: { tables: readonly ReleaseTable[]; onAnswer: () => void }): VNode {
  const [draft, setDraft] = useState(() => firstDraft(tables[0] as ReleaseTable, Date.now()));
  const [asked, setAsked] = useState(0);
  const [said, setSaid] = useState<string | null>(null);
  const preview = usePreview(draft, asked);
  const { columns } = tables.find(({ app }) => app === draft.app) ?? (tables[0] as ReleaseTable);
  const change = (part: Partial<Draft>): void => {
    setSaid(null);
    setDraft({ ...draft, ...part });
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    try {
      const { isRepeated, entry } = await fetchAnswer(questionOf(draft));
      setSaid(
        isRepeated ? `This was answered before, as entry ${entry.n} below, and cost nothing.` : `Answered, as entry ${entry.n} below.`,
      );
      onAnswer();
    } catch (problem) {
      setSaid(inWords(problem));
    }
    setAsked(asked + 1);
  };
  const named = columns.map(({ name }) => [name, name] as const);
  return (
    <form class="panel release-panel" onSubmit={(event) => void submit(event)}>
      <h2>Ask</h2>
      <div class="filters">
        {tables.length > 1 && (
          <Menu
            name="app"
            value={draft.app}
            options={tables.map(({ app }) => [app, app])}
            onChoose={(app) => setDraft(firstDraft(tables.find((each) => each.app === app) as ReleaseTable, Date.now()))}
          />
        )}
        <Field name="from" id="ask-from">
          <input
            id="ask-from"
            type="date"
            value={draft.from}
            onInput={({ currentTarget }: Typed) => change({ from: currentTarget.value })}
          />
        </Field>
        <Field name="to" id="ask-to">
          <input id="ask-to" type="date" value={draft.to} onInput={({ currentTarget }: Typed) => change({ to: currentTarget.value })} />
        </Field>
        <Menu name="what" value={draft.kind} options={Object.entries(KINDS)} onChoose={(kind) => change({ kind: kind as Draft['kind'] })} />
        {draft.kind === 'count' ? (
          <Menu
            name="for each"
            value={draft.groupBy}
            options={[['', 'nothing'], ['day', 'day'], ...named]}
            onChoose={(groupBy) => change({ groupBy })}
          />
        ) : (
          draft.kind !== 'days' && <Menu name="of" value={draft.column} options={named} onChoose={(column) => change({ column })} />
        )}
        {draft.kind === 'sum' &&
          (['low', 'high'] as const).map((end) => (
            <Field key={end} name={end === 'low' ? 'from value' : 'to value'} id={`ask-${end}`}>
              <input
                id={`ask-${end}`}
                type="number"
                value={draft[end]}
                onInput={({ currentTarget }: Typed) => change({ [end]: currentTarget.value })}
              />
            </Field>
          ))}
        {columns.map(({ name, values }) => (
          <Menu
            key={name}
            name={name}
            value={draft.where[name] ?? ''}
            options={[['', 'all'], ...values.filter((value) => value !== '').map((value) => [value, value] as const)]}
            onChoose={(value) => change({ where: { ...draft.where, [name]: value } })}
          />
        ))}
        <Field name="ε" id="ask-epsilon">
          <input
            id="ask-epsilon"
            type="text"
            value={draft.epsilon}
            onInput={({ currentTarget }: Typed) => change({ epsilon: currentTarget.value })}
          />
        </Field>
      </div>
      <Expected preview={preview} />
      <div class="release-ask">
        <button type="submit" disabled={typeof preview === 'string' || preview === null || preview.left === undefined}>
          {typeof preview === 'object' && preview !== null ? `Ask for ε ${preview.cost.epsilon}` : 'Ask'}
        </button>
        <p role="alert">{said}</p>
      </div>
    </form>
  );
}
