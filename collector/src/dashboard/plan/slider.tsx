// A number on a slider, whose steps are those that people choose from, with a field for any other number. Both work by keyboard.

import type { VNode } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';

interface SliderProps {
  readonly name: string;
  readonly value: number;
  readonly steps: readonly number[];
  /** Beside the field, such as "points". */
  readonly unit?: string | undefined;
  /** Below the slider. */
  readonly note?: string | undefined;
  readonly isWhole?: boolean;
  readonly onChange: (value: number) => void;
}

/** The step that is nearest to a value, as numbers on a slider are compared: by their ratio. */
function nearest(steps: readonly number[], value: number): number {
  const far = (step: number): number => Math.abs(Math.log(step / value));
  return steps.reduce((best, step, i) => (far(step) < far(steps[best] as number) ? i : best), 0);
}

export function Slider({ name, value, steps, unit = '', note, isWhole = false, onChange }: SliderProps): VNode {
  const id = useId();
  const [typed, setTyped] = useState(String(value));
  useEffect(() => setTyped((before) => (Number(before) === value ? before : String(value))), [value]);
  const type = (text: string): void => {
    setTyped(text);
    const number = Number(text);
    if (number > 0 && Number.isFinite(number) && (!isWhole || Number.isInteger(number))) onChange(number);
  };
  return (
    <div class="slider">
      <div class="slider-head">
        <label for={id}>{name}</label>
        <span class="slider-value">
          <input
            type="number"
            min={isWhole ? 1 : 0.01}
            step="any"
            value={typed}
            aria-label={unit ? `${name}, in ${unit}` : name}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onBlur={() => setTyped(String(value))}
          />
          {unit && <span aria-hidden="true">{unit}</span>}
        </span>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={steps.length - 1}
        step={1}
        value={nearest(steps, value)}
        aria-valuetext={`${value}${unit && ` ${unit}`}`}
        aria-describedby={note ? `${id}-note` : undefined}
        onInput={({ currentTarget }) => onChange(steps[Number(currentTarget.value)] as number)}
      />
      {note && (
        <p class="slider-note" id={`${id}-note`}>
          {note}
        </p>
      )}
    </div>
  );
}
