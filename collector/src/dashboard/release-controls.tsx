// The controls of the editor: a menu, and a field, each with its name.

import type { ComponentChildren, VNode } from 'preact';

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
