// Controls for all metrics at once: one per segment, one for the period and one for whom estimates describe. Few options are
// buttons, many are a menu. A control that leaves reports out appears only when it has something to leave out.

import type { VNode } from 'preact';
import type { Among, Metric } from '../api/shown.ts';
import { whomOf } from './explain.ts';
import { dayOf, type Filter, periodsOf, segmentsOf, spanOf } from './filter.ts';

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
  const periods = periodsOf(metrics, filter.days);
  const span = spanOf(metrics);
  const { from: _from, to: _to, ...undated } = filter;
  const isDated = filter.from !== undefined || filter.to !== undefined;
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
          value={isDated ? 'dates' : filter.days === null ? '' : String(filter.days)}
          options={[{ value: '', label: 'all' }, ...periods.map((days) => ({ value: String(days), label: `last ${days}` }))]}
          onChoose={(value) => onFilter({ ...undated, days: value === '' ? null : Number(value) })}
        />
      )}
      {span && span.from !== span.to && (
        <fieldset class="choice">
          <legend>dates</legend>
          {(['from', 'to'] as const).map((end) => (
            <DateInput
              key={end}
              name={end}
              value={filter[end]}
              min={(end === 'to' && filter.from) || span.from}
              max={(end === 'from' && filter.to) || span.to}
              onChoose={(day) => {
                const { [end]: _before, ...others } = filter;
                onFilter({ ...others, days: null, ...(day !== undefined && { [end]: day }) });
              }}
            />
          ))}
        </fieldset>
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

interface DateInputProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly min: string;
  readonly max: string;
  /** Called with undefined where the date is emptied. */
  readonly onChoose: (day: string | undefined) => void;
}

/** A day to choose. While it is typed, parts of it are no days in question, and nothing is chosen. */
export function DateInput({ name, value = '', min, max, onChoose }: DateInputProps): VNode {
  return (
    <label class="choice-date">
      <span class="choice-name">{name}</span>
      <input
        type="date"
        value={value}
        min={min}
        max={max}
        onChange={({ currentTarget: input }) => {
          if (input.validity.valid && input.value !== value) onChoose(dayOf(input.value));
        }}
      />
    </label>
  );
}

function withSegment(segments: Filter['segments'], name: string, value: string): Filter['segments'] {
  const others = Object.entries(segments).filter(([key]) => key !== name);
  return Object.fromEntries(value === '' ? others : [...others, [name, value]]);
}

/** One of several options: buttons, or a menu where there are many. */
export function Choice(props: ChoiceProps): VNode {
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

export function Menu({ name, options, value, onChoose }: ChoiceProps): VNode {
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
