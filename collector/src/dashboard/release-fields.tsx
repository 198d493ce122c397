// The question that is edited, and its fields: what is measured, of what, in which rows, and at which ε.

import type { ComponentChildren, VNode } from 'preact';
import type { DraftOfMeasure, Measure, Question, ReleaseTable } from '../api/shown.ts';
import { menuOfKinds, onPageOf } from '../api/shown-releases.ts';
import { DAY_MS } from '../base/days.ts';

// The question that the editor holds, as its fields have it.

/** The fields of the editor. */
export interface Draft extends DraftOfMeasure {
  readonly app: string;
  readonly from: string;
  readonly to: string;
  readonly kind: Measure['kind'];
  /** The value of each column; empty for all. */
  readonly where: { readonly [column: string]: string };
}

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** The values of a column that can be named. */
export const valuesOf = ({ columns }: ReleaseTable, column: string): readonly string[] =>
  (columns.find(({ name }) => name === column)?.values ?? []).filter((value) => value !== '');

/** A first question: last week's reports of the first metric. */
export function firstDraft(table: ReleaseTable, now: number): Draft {
  const { app, columns } = table;
  const [metric = ''] = valuesOf(table, 'metric');
  const names = columns.map(({ name }) => name);
  // Columns with one value have nothing to compare.
  const [column = 'metric', other = 'day'] = [...names.filter((name) => name !== 'metric' && valuesOf(table, name).length > 1), 'day'];
  const days = { from: dayOf(now - 7 * DAY_MS), to: dayOf(now - DAY_MS) };
  const more = { column, other, value: valuesOf(table, column)[0] ?? '', columns: ['day', ...names.filter((name) => name !== 'metric')] };
  // Where all budgets add up ρ, Gaussian noise is the smaller one.
  const isInRho = table.budgets.length > 0 && table.budgets.every(({ limit }) => limit?.unit === 'rho');
  const cost = isInRho ? ({ unit: 'rho', epsilon: '0.005' } as const) : ({ unit: 'epsilon', epsilon: '0.1' } as const);
  return { app, ...days, kind: 'count', ...more, about: '1000', low: '0', high: '10', groupBy: '', ...cost, where: { metric } };
}

/** The draft with another column, and a value of it. */
export const withColumn = (table: ReleaseTable, column: string): Pick<Draft, 'column' | 'value'> => ({
  column,
  value: valuesOf(table, column)[0] ?? '',
});

/** The question of the fields. */
export function questionOf(draft: Draft): Question {
  const { app, from, to, where } = draft;
  const chosen = Object.entries(where).flatMap(([column, value]) => (value === '' ? [] : [[column, [value]] as const]));
  return { app, from, to, where: Object.fromEntries(chosen), measures: [onPageOf(draft.kind).ofDraft(draft)] };
}

// The controls of the editor: a menu, and a field, each with its name.

export type Options = readonly (readonly [value: string, label: string])[];

export function Menu({
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
export function Field({ name, id, children }: { name: string; id: string; children: ComponentChildren }): VNode {
  return (
    <div class="choice release-field">
      <label class="choice-name" for={id}>
        {name}
      </label>
      {children}
    </div>
  );
}

/** Fields of some kinds of measurements. */
type Part = { readonly draft: Draft; readonly table: ReleaseTable; readonly change: (part: Partial<Draft>) => void };

function TextField({
  name,
  field,
  type,
  draft,
  change,
}: Part & { name: string; field: 'from' | 'to' | 'low' | 'high' | 'about' | 'epsilon'; type: 'date' | 'number' | 'text' }): VNode {
  const id = `ask-${field}`;
  const shared = {
    id,
    value: draft[field],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => change({ [field]: currentTarget.value }),
  };
  return (
    <Field name={name} id={id}>
      {type === 'date' ? (
        <input type="date" {...shared} />
      ) : type === 'number' ? (
        <input type="number" {...shared} />
      ) : (
        <input type="text" {...shared} />
      )}
    </Field>
  );
}

/** The columns of a synthetic table. */
function Columns({ draft, names, change }: Pick<Part, 'draft' | 'change'> & { names: readonly string[] }): VNode {
  const toggle = (name: string): void =>
    change({ columns: draft.columns.includes(name) ? draft.columns.filter((each) => each !== name) : [...draft.columns, name] });
  return (
    <fieldset class="choice release-columns">
      <legend class="choice-name">over</legend>
      {names.map((name) => (
        <label key={name}>
          <input type="checkbox" checked={draft.columns.includes(name)} onChange={() => toggle(name)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** Fields of the measure. */
function MeasureFields(part: Part): VNode {
  const { draft, table, change } = part;
  const { kind, column } = draft;
  const { fields } = onPageOf(kind);
  const has = (field: (typeof fields)[number]): boolean => fields.includes(field);
  const names = table.columns.map(({ name }) => name);
  const options = (list: readonly string[]): Options => list.map((name) => [name, name]);
  const withDay = ['day', ...names];
  return (
    <>
      <Menu name="what" value={kind} options={menuOfKinds()} onChoose={(next) => change({ kind: next as Draft['kind'] })} />
      {has('column') && (
        <Menu
          name="of"
          value={column}
          options={options(has('other') ? withDay : names)}
          onChoose={(next) => change(withColumn(table, next))}
        />
      )}
      {has('value') && (
        <Menu name="value" value={draft.value} options={options(valuesOf(table, column))} onChoose={(value) => change({ value })} />
      )}
      {has('other') && <Menu name="and" value={draft.other} options={options(withDay)} onChoose={(other) => change({ other })} />}
      {has('columns') && <Columns draft={draft} names={withDay} change={change} />}
      {has('groupBy') && (
        <Menu
          name="for each"
          value={draft.groupBy}
          options={[['', 'nothing'], ...options(withDay.filter((name) => !has('column') || name !== column))]}
          onChoose={(groupBy) => change({ groupBy })}
        />
      )}
      {has('about') && (
        <TextField
          {...part}
          name={has('groupBy') && draft.groupBy !== '' ? 'expected reports in each' : 'expected reports'}
          field="about"
          type="number"
        />
      )}
      {has('low') && <TextField {...part} name="from value" field="low" type="number" />}
      {has('high') && <TextField {...part} name="to value" field="high" type="number" />}
    </>
  );
}

/** The amount that is paid, and its unit where there is a choice. */
function CostFields(part: Part): VNode {
  const { draft, change } = part;
  const takesRho = onPageOf(draft.kind).takesRho === true;
  return (
    <>
      {takesRho && (
        <Menu
          name="paid in"
          value={draft.unit}
          options={[
            ['epsilon', 'ε'],
            ['rho', 'ρ'],
          ]}
          onChoose={(unit) => change({ unit: unit as Draft['unit'] })}
        />
      )}
      <TextField {...part} name={takesRho && draft.unit === 'rho' ? 'ρ' : 'ε'} field="epsilon" type="text" />
    </>
  );
}

/** All fields: those that choose rows, and those that say what is measured of them. */
export function Fields({
  tables,
  draft,
  onChange,
}: {
  tables: readonly ReleaseTable[];
  draft: Draft;
  onChange: (draft: Draft) => void;
}): VNode {
  const tableOf = (app: string): ReleaseTable => tables.find((each) => each.app === app) ?? (tables[0] as ReleaseTable);
  const table = tableOf(draft.app);
  const part: Part = { draft, table, change: (changed) => onChange({ ...draft, ...changed }) };
  return (
    <>
      <div class="filters">
        {tables.length > 1 && (
          <Menu
            name="app"
            value={draft.app}
            options={tables.map(({ app }) => [app, app])}
            onChoose={(app) => onChange(firstDraft(tableOf(app), Date.now()))}
          />
        )}
        <TextField {...part} name="from" field="from" type="date" />
        <TextField {...part} name="to" field="to" type="date" />
        {table.columns.map(({ name }) => (
          <Menu
            key={name}
            name={name}
            value={draft.where[name] ?? ''}
            options={[['', 'all'], ...valuesOf(table, name).map((value) => [value, value] as const)]}
            onChoose={(value) => part.change({ where: { ...draft.where, [name]: value } })}
          />
        ))}
      </div>
      <div class="filters">
        <MeasureFields {...part} />
        <CostFields {...part} />
      </div>
    </>
  );
}
