// The plan of a new question, before anybody is asked: how it will look, how soon, what it costs, and the line to paste. All figures are the API's.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Metric, Plan } from '../../api/shown.ts';
import { goTo, PLAN, useTitle } from '../address.ts';
import { fetchPlan, planAddress, useAnswer } from '../api.ts';
import { Choice, Menu } from '../filters.tsx';
import { count } from '../format.ts';
import { nameOf, TYPES } from '../overview/find.ts';
import { copy } from '../question/tools.tsx';
import { Failed, LoadingBars } from '../states.tsx';
import { askedFor, CADENCES, DEVICES, type Draft, draftFrom, EPSILONS, ERRORS, type PlannedType, SIZES, WEEKS } from './draft.ts';
import { Budget, Course, Example, errorInWords, weeksInWords } from './pictures.tsx';
import { Slider } from './slider.tsx';
import { Wishes } from './wishes.tsx';

/** Milliseconds after the last change until the address has it: a slider is drawn, and browsers bound how often an address may change. */
const SETTLED = 200;

const NOTHING = { reports: 0 };

/** The draft, at once, and in the address when it rests. */
function useDraft(query: string): readonly [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(() => draftFrom(query));
  const sent = useRef(query);
  useEffect(() => {
    if (query === sent.current) return;
    sent.current = query; // another address, as after Back
    setDraft(draftFrom(query));
  }, [query]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (part: Partial<Draft>): void => {
    const next = { ...draft, ...part };
    setDraft(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = planAddress(askedFor(next)).replace(/^[^?]*/, '');
      goTo(PLAN + sent.current, 'replace');
    }, SETTLED);
  };
  return [draft, change];
}

export function PlanPage({ metrics, query }: { metrics: readonly Metric[]; query: string }): VNode {
  useTitle('Plan a question');
  const [draft, change] = useDraft(query);
  const apps = [...new Set(metrics.map(({ app }) => app))];
  const asked = askedFor({ ...draftFrom(query), app: draftFrom(query).app ?? apps[0] });
  const { value: plan, problem, outdated } = useAnswer(NOTHING, planAddress(asked), (signal) => fetchPlan(asked, signal));
  const own = metrics.filter(({ app }) => app === asked.app);
  const waiting = outdated ? 'outdated' : '';
  return (
    <article class="question plan" aria-labelledby="plan-title" aria-busy={outdated}>
      <header class="question-head">
        <h2 id="plan-title">Plan a question</h2>
        <div class={waiting} role="status">
          {plan ? <Sentence plan={plan} /> : <p class="verdict">How soon would it be answered?</p>}
        </div>
      </header>
      <div class="plan-parts">
        <section class="card plan-form" aria-label="The question">
          <Form draft={draft} plan={plan} metrics={own} apps={apps} onChange={change} />
        </section>
        <div class="plan-results">
          {problem && <Failed title="This can’t be planned" problem={problem} />}
          {!plan && !problem && (
            <section class="card">
              <LoadingBars />
            </section>
          )}
          {plan && (
            <>
              <section class={`card ${waiting}`} aria-labelledby="plan-look">
                <h3 id="plan-look">How it will look after {weeksInWords(plan.after.weeks)}</h3>
                <Example plan={plan} />
                <p class="note">{exampleInWords(plan)}</p>
              </section>
              <section class={`card ${waiting}`} aria-labelledby="plan-soon">
                <h3 id="plan-soon">How soon it is as exact as you want</h3>
                <Course plan={plan} />
              </section>
              <section class={`card ${waiting}`} aria-labelledby="plan-cost">
                <h3 id="plan-cost">What it does to the budget</h3>
                <Budget budget={plan.budget} />
              </section>
              <section class={`card ${waiting}`} aria-labelledby="plan-line">
                <h3 id="plan-line">The line of the schema</h3>
                <Line key={plan.line} line={plan.line} />
              </section>
            </>
          )}
        </div>
      </div>
      <Wishes metrics={own} wishes={draft.wishes} found={plan?.wishes} onWishes={(wishes) => change({ wishes })} />
    </article>
  );
}

const EACH = { day: 'each day', week: 'each week', month: 'each month', once: 'once' } as const;

/** The answer to "can we ask that, and how long does it take?" */
function Sentence({ plan }: { plan: Plan }): VNode {
  const { weeks, wanted, devices, every, after, budget, epsilon } = plan;
  const error = errorInWords(plan, wanted.error);
  const who = `${count(devices)} ${devices === 1 ? 'device answers' : 'devices answer'} ${EACH[every]}`;
  const { devicesForError: more, epsilonForError } = after;
  const ways = [
    more !== null && more > devices && `${count(more)} devices`,
    epsilonForError !== null && epsilonForError > epsilon && `ε ${epsilonForError}`,
  ].filter(Boolean);
  return (
    <p class="verdict">
      {weeks === null ? (
        <>
          <strong>Not {error}, however long it is asked</strong>, if {who}: the same devices answer again.
        </>
      ) : (
        <>
          <strong>
            {error} after {weeksInWords(weeks)}
          </strong>
          , if {who}.
        </>
      )}
      {(weeks === null || weeks > after.weeks) &&
        ways.length > 0 &&
        ` For ${error} after ${weeksInWords(after.weeks)} it would take ${ways.join(' or ')}.`}
      {!budget.fits && <span class="plan-bad"> It does not fit the budget of the schema.</span>}
    </p>
  );
}

function exampleInWords({ type, range, after: { smallestShare } }: Plan): string {
  if (range && type !== 'distribution')
    return 'For the numbers that are hardest to average. The true mean is within the bar 19 times in 20.';
  if (type === 'distribution') return 'For numbers that are spread evenly. The truth is within the bar 19 times in 20.';
  const least =
    smallestShare === null
      ? ''
      : ` A share of ${(100 * smallestShare).toPrecision(2)} % or more stands out from an answer that nobody gives, 4 times in 5.`;
  return `The shares are an example; the bars are as wide as yours will be. The truth is within a bar 19 times in 20.${least}`;
}

interface FormProps {
  readonly draft: Draft;
  readonly plan: Plan | null;
  /** Of the app. */
  readonly metrics: readonly Metric[];
  readonly apps: readonly string[];
  readonly onChange: (change: Partial<Draft>) => void;
}

function Form({ draft, plan, metrics, apps, onChange }: FormProps): VNode {
  const size = SIZES[draft.type];
  const types = (Object.keys(SIZES) as PlannedType[]).map((type) => ({ value: type, label: TYPES[type] }));
  const choose = (type: PlannedType): void => {
    const next = SIZES[type];
    onChange({ type, of: next.kind === 'none' ? '' : next.usual });
  };
  const devices = draft.devices ?? plan?.devices;
  return (
    <>
      {apps.length > 1 && (
        <Menu
          name="App"
          value={draft.app ?? apps[0] ?? ''}
          options={apps.map((app) => ({ value: app, label: app }))}
          onChoose={(app) => onChange({ app, wishes: {} })}
        />
      )}
      <Menu name="Type" value={draft.type} options={types} onChoose={(type) => choose(type as PlannedType)} />
      <Field
        name="Question"
        value={draft.description}
        placeholder="Which plan do you have?"
        onChange={(description) => onChange({ description })}
      />
      {size.kind === 'text' && <Field name={size.name} value={draft.of} placeholder={size.usual} onChange={(of) => onChange({ of })} />}
      {size.kind === 'slider' && (
        <Slider name={size.name} value={Number(draft.of)} steps={size.steps} isWhole onChange={(of) => onChange({ of: String(of) })} />
      )}
      {draft.type === 'choices' && (
        <Slider
          name="Answers that one person may give"
          value={draft.atMost}
          steps={[1, 2, 3, 4, 5, 6, 8, 10]}
          isWhole
          onChange={(atMost) => onChange({ atMost })}
        />
      )}
      <Choice
        name="Asked each"
        value={draft.every}
        options={Object.entries(CADENCES).map(([value, label]) => ({ value, label }))}
        onChoose={(every) => onChange({ every: every as Draft['every'] })}
      />
      <Slider
        name="Privacy: ε of one report"
        value={draft.epsilon}
        steps={EPSILONS}
        note="The smaller, the more private, and the longer it takes."
        onChange={(epsilon) => onChange({ epsilon })}
      />
      <Slider
        name={`Devices that answer ${EACH[draft.every]}`}
        value={devices ?? 1_000}
        steps={DEVICES}
        isWhole
        note={plan ? trafficInWords(plan, metrics, draft.devices) : undefined}
        onChange={(next) => onChange({ devices: next })}
      />
      {draft.devices !== undefined && plan?.traffic && (
        <button type="button" class="quiet-button" onClick={() => onChange({ devices: undefined })}>
          As many as the app has: {count(plan.traffic.devices)}
        </button>
      )}
      <Slider name="Wanted: ±" value={draft.error} steps={ERRORS} unit="points" onChange={(error) => onChange({ error })} />
      <Slider name="Look at it after" value={draft.after} steps={WEEKS} unit="weeks" isWhole onChange={(after) => onChange({ after })} />
    </>
  );
}

function trafficInWords({ traffic }: Plan, metrics: readonly Metric[], devices: number | undefined): string {
  if (traffic === null) return 'The app has no reports yet, so this is a guess.';
  const { metric, devices: seen } = traffic;
  const from = metrics.find((each) => each.metric === metric);
  const name = from ? nameOf(from) : metric;
  return devices === undefined ? `As many as answer “${name}”.` : `“${name}” has ${count(seen)}.`;
}

interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly placeholder: string;
  readonly onChange: (value: string) => void;
}

function Field({ name, value, placeholder, onChange }: FieldProps): VNode {
  return (
    <label class="plan-field">
      <span class="choice-name">{name}</span>
      <input
        type="text"
        value={value}
        placeholder={placeholder}
        maxLength={300}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

/** The line, and a button that copies it. Another line is another component, of which nothing was said. */
function Line({ line }: { line: string }): VNode {
  const [said, setSaid] = useState('');
  const take = (): void => {
    copy(line).then(
      () => setSaid('The line is copied.'),
      () => setSaid('This browser does not let the page copy.'),
    );
  };
  return (
    <>
      <pre>
        <code>{line}</code>
      </pre>
      <div class="tools">
        <button type="button" class="quiet-button" onClick={take}>
          Copy line
        </button>
        <span class="tools-said" role="status">
          {said}
        </span>
      </div>
    </>
  );
}
