// The fields of a question: what is measured, of what, in which rows, and at which ε.

import type { VNode } from 'preact';
import { menuOfKinds, onPageOf, type ReleaseTable } from '../api/shown.ts';
import { Field, Menu, type Options } from './release-controls.tsx';
import { type Draft, firstDraft, valuesOf, withColumn } from './release-draft.ts';

/** What some kinds of measurements ask for. */
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

/** What is measured. */
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
        <TextField {...part} name="ε" field="epsilon" type="text" />
      </div>
    </>
  );
}
