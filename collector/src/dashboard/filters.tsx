// Controls for all metrics at once: one per segment, one for the period and one for whom estimates describe. Few options are
// buttons, many are a menu. A control that leaves reports out appears only when it has something to leave out.

import type { VNode } from 'preact';
import type { Among, Metric } from '../api/shown.ts';
import { whomOf } from './explain.ts';
import { type Filter, periodsOf, segmentsOf } from './filter.ts';

const MOST_BUTTONS = 6;

interface Option {
  readonly value: string;
  readonly label: string;
}

interface ChoiceProps {
  readonly name: string;
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

export function Filters({
  metrics,
  filter,
  onFilter,
}: {
  metrics: readonly Metric[];
  filter: Filter;
  onFilter: (filter: Filter) => void;
}): VNode {
  const segments = segmentsOf(metrics);
  const periods = periodsOf(metrics);
  return (
    <section class="filters" aria-label="Filters">
      {segments.map(([name, values]) => (
        <Choice
          key={name}
          name={name}
          value={filter.segments[name] ?? ''}
          options={[{ value: '', label: 'all' }, ...values.map((value) => ({ value, label: value }))]}
          onChoose={(value) => onFilter({ ...filter, segments: withSegment(filter.segments, name, value) })}
        />
      ))}
      {periods.length > 0 && (
        <Choice
          name="days"
          value={filter.days === null ? '' : String(filter.days)}
          options={[{ value: '', label: 'all' }, ...periods.map((days) => ({ value: String(days), label: `last ${days}` }))]}
          onChoose={(value) => onFilter({ ...filter, days: value === '' ? null : Number(value) })}
        />
      )}
      <Choice
        name="estimates of"
        value={filter.among}
        options={(['population', 'reports'] as const).map((value) => ({ value, label: whomOf(value) }))}
        onChoose={(value) => onFilter({ ...filter, among: value as Among })}
      />
    </section>
  );
}

function withSegment(segments: Filter['segments'], name: string, value: string): Filter['segments'] {
  const others = Object.entries(segments).filter(([key]) => key !== name);
  return Object.fromEntries(value === '' ? others : [...others, [name, value]]);
}

function Choice(props: ChoiceProps): VNode {
  return props.options.length <= MOST_BUTTONS ? <Buttons {...props} /> : <Menu {...props} />;
}

function Buttons({ name, options, value, onChoose }: ChoiceProps): VNode {
  return (
    <fieldset class="choice">
      <legend>{name}</legend>
      <div class="choice-options">
        {options.map((option) => (
          <label key={option.value}>
            <input type="radio" name={`filter-${name}`} checked={option.value === value} onChange={() => onChoose(option.value)} />
            <span class="choice-option">{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Menu({ name, options, value, onChoose }: ChoiceProps): VNode {
  return (
    <label class="choice">
      <span class="choice-name">{name}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}
