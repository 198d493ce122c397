// What is below every table of answers: explanations of the tags and of the interval, the watch, and the way to the numbers as JSON.
// Cards of strings add their own.

import type { ComponentChildren, VNode } from 'preact';
import type { Among, Estimates, Metric } from '../api/shown.ts';
import { explain, marginOf } from './explain.ts';
import { figure, hundredths } from './format.ts';

interface FactsProps {
  readonly metric: Metric;
  readonly answer: Pick<Estimates, 'watch' | 'unit'>;
  readonly among: Among;
  readonly address: string;
  readonly children?: ComponentChildren;
}

export function Facts({ metric, answer, among, address, children }: FactsProps): VNode {
  return (
    <>
      <dl class="facts">
        {explain(metric).map(({ word, meaning }) => (
          <Fact key={word} word={word}>
            {meaning}
          </Fact>
        ))}
        <Fact word="95&nbsp;% interval">{marginOf(among)}</Fact>
        {children}
        <Fact word="crafted reports">{watched(answer)}</Fact>
        {metric.expires && <Fact word="expires">The question is asked until {metric.expires}.</Fact>}
      </dl>
      <p class="note">
        {metric.app}, version {metric.version}. <a href={address}>The same as JSON</a>
      </p>
    </>
  );
}

export function Fact({ word, children }: { word: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{word}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Below this p-value the law is an implausible explanation: one metric in a million looks like this by chance. */
const SUSPICIOUS = 1e-6;

function watched({ watch: { pValue, perPercent }, unit }: Pick<Estimates, 'watch' | 'unit'>): string {
  const found = pValue < SUSPICIOUS ? 'The reports do not look like the law’s' : 'No sign of them, which proves nothing';
  const said = `${found} (p = ${pValue.toPrecision(2)}).`;
  if (perPercent === undefined) return said;
  const shift = unit === 'value' ? figure(perPercent, perPercent < 1 ? 2 : 1, Math.ceil) : `${hundredths(perPercent, 1, Math.ceil)} points`;
  return `${said} If 1 % of the reports were crafted, they could move an answer by up to ${shift}.`;
}
