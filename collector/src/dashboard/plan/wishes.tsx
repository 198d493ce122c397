// Wishes for the questions that there are: the error that is wanted of each, and the smallest budget that meets all.

import type { VNode } from 'preact';
import type { Metric, Plan } from '../../api/shown.ts';
import { Menu } from '../filters.tsx';
import { nameOf } from '../overview/find.ts';
import { ERRORS } from './draft.ts';
import { Slider } from './slider.tsx';

interface WishesProps {
  /** Of the app. */
  readonly metrics: readonly Metric[];
  readonly wishes: { readonly [metric: string]: number };
  readonly found: Plan['wishes'];
  readonly onWishes: (wishes: { readonly [metric: string]: number }) => void;
}

const said = (epsilon: number): string => String(Number(epsilon.toFixed(2)));

export function Wishes({ metrics, wishes, found, onWishes }: WishesProps): VNode {
  const others = metrics.filter(({ metric }) => !Object.hasOwn(wishes, metric));
  const named = (name: string): string => {
    const metric = metrics.find((each) => each.metric === name);
    return metric ? nameOf(metric) : name;
  };
  const without = (name: string) => Object.fromEntries(Object.entries(wishes).filter(([each]) => each !== name));
  return (
    <section class="card plan-wishes" aria-labelledby="plan-wishes">
      <h3 id="plan-wishes">The smallest budget for what you want to know</h3>
      <p class="quiet">Choose questions of this app and how exact each should be after one report of each device.</p>
      {found && <Needed found={found} />}
      {Object.entries(wishes).map(([name, points]) => {
        const own = found?.metrics.find(({ metric }) => metric === name);
        return (
          <div key={name} class="wish">
            <Slider
              name={named(name)}
              value={points}
              steps={ERRORS}
              unit="points"
              note={own && wishInWords(own)}
              onChange={(next) => onWishes({ ...wishes, [name]: next })}
            />
            <button
              type="button"
              class="quiet-button"
              aria-label={`Remove the wish for ${named(name)}`}
              onClick={() => onWishes(without(name))}
            >
              Remove
            </button>
          </div>
        );
      })}
      {others.length > 0 && (
        <div class="plan-add">
          <Menu
            name="Add a question"
            value=""
            options={[{ value: '', label: 'choose' }, ...others.map((metric) => ({ value: metric.metric, label: nameOf(metric) }))]}
            onChoose={(name) => name !== '' && onWishes({ ...wishes, [name]: 1 })}
          />
          {Object.keys(wishes).length === 0 && others.length <= 50 && (
            <button
              type="button"
              class="quiet-button"
              onClick={() => onWishes(Object.fromEntries(metrics.map(({ metric }) => [metric, 1])))}
            >
              All, ± 1 point each
            </button>
          )}
        </div>
      )}
    </section>
  );
}

function wishInWords({ epsilon, needed, times }: NonNullable<Plan['wishes']>['metrics'][number]): string {
  if (needed === null) return 'No ε is enough with so few devices.';
  return `needs ε ${said(needed)} a report${times > 1 ? `, ${times} times in a window` : ''}; it has ${said(epsilon)}`;
}

function Needed({ found: { needed, budget, devices, others, shared, isWithin } }: { found: NonNullable<Plan['wishes']> }): VNode {
  return (
    <p class="plan-needed" role="status">
      {needed === null ? (
        <strong>No budget meets all of these wishes with {devices.toLocaleString('en')} devices.</strong>
      ) : (
        <strong>
          ε {said(needed)} a {budget.per} {isWithin ? 'is enough' : 'is needed'}
        </strong>
      )}
      {needed !== null &&
        `. The schema has ${said(budget.epsilon)}${others > 0 ? `, of which ${said(others)} are for questions without a wish` : ''}.`}
      {shared &&
        shared.budget < (needed ?? Number.POSITIVE_INFINITY) &&
        ` If each device answers only ${shared.questions} of the ${shared.of} questions (assign: 'random'), ε ${said(shared.budget)} is enough.`}
    </p>
  );
}
