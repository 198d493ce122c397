// The parts of a question's page below its sentence: the value, the evidence, the facts, the details and the table. Their contents depend on
// the kind of metric.

import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Among, Answer, Estimates, Metric } from '../api/shown.ts';
import { whomOf } from './explain.ts';
import type { Span } from './filter.ts';
import {
  count,
  dayRange,
  decimalsFor,
  decimalsForValue,
  figure,
  hundredths,
  marginOfValue,
  percent,
  type Rounding,
  reportCount,
} from './format.ts';
import { inOrder, keyOf, labelOf } from './judge.ts';
import { explain, marginOf, slotsIn } from './terms.ts';

// A metric that is one number: its mean, with its interval, instead of bars of shares.
// The large figure and the sentence both include the interval, so either may be quoted alone.

/** The number itself. */
export function Value({ answer, unit, title }: { answer: Answer; unit: string | undefined; title: string }): VNode {
  const decimals = decimalsForValue(answer);
  const { estimate, truth } = answer;
  return (
    <p class="value" title={`Estimated mean with its 95 % interval: ${title}`}>
      <span class="value-estimate">{figure(estimate, decimals)}</span>
      <span class="value-margin">
        {' '}
        ± {marginOfValue(answer, decimals)}
        {unit && ` ${unit}`}
      </span>
      <span class="value-note">
        estimated mean, 95&nbsp;% interval
        {truth !== undefined && `; true mean of the reports (demo only) ${figure(truth, decimals)}`}
      </span>
    </p>
  );
}

// The evidence behind a metric's estimates: how many reports, which people and days they describe, how often one device may
// report, who asks and who is asked, and what is reported when nothing was answered. It also says where a filter does not apply.

interface EvidenceProps {
  readonly metric: Metric;
  readonly estimates: Pick<Estimates, 'reports' | 'from' | 'to' | 'among' | 'verdict'> | null;
  /** The values of segments that are chosen, in words. */
  readonly chosen: readonly string[];
  /** True if the filter leaves reports out. Without one, estimates may only be older than the list that counts the metric's reports. */
  readonly isFiltered: boolean;
  /** Segments in the filter that this metric does not have. */
  readonly missing: readonly string[];
  /** First and last day over all metrics. A metric's own days are shown only if they differ. */
  readonly span: Span | null;
}

export function Evidence({ metric, estimates, chosen, isFiltered, missing, span }: EvidenceProps): VNode {
  const used = estimates?.reports ?? metric.reports;
  const { from, to } = estimates ?? metric;
  const isPart = isFiltered && used < metric.reports;
  const ownDays = from !== span?.from || to !== span?.to;
  return (
    <p class="evidence">
      {isPart ? `${count(used)} of ${reportCount(metric.reports)}` : reportCount(used)}
      {estimates && used > 0 && <span title={marginOf(estimates.among)}> · estimates of {whomOf(estimates.among)}</span>}
      {chosen.map((value) => (
        <span key={value}> · {value}</span>
      ))}
      {from && to && ownDays && <span> · {dayRange(from, to)}</span>}
      {metric.unit && <span> · in {metric.unit}</span>}
      {metric.owner && <span> · asked by {metric.owner}</span>}
      {estimates?.verdict?.looks === 'always' && <span> · safe to look at every day</span>}
      {notesOf(metric, missing, from && to ? slotsIn(metric.every, from, to) : 1).map((note) => (
        <span key={note} class="evidence-note">
          {note}
        </span>
      ))}
    </p>
  );
}

function notesOf({ assign, otherwise }: Metric, missing: readonly string[], slots: number): readonly string[] {
  return [
    ...(slots > 1 ? [`In these days a device may answer up to ${count(slots)} times, and each report counts.`] : []),
    ...(otherwise === undefined ? [] : [`No answer counts as “${otherwise}”.`]),
    ...(assign ? ['Each device is asked a random part.'] : []),
    ...missing.map((name) => `Not split by ${name}.`),
  ];
}

// What is below every table of answers: explanations of the tags and of the interval, the watch, and the way to the numbers as JSON.
// Cards of strings add their own.

interface FactsProps {
  readonly metric: Metric;
  readonly answer: Pick<Estimates, 'watch' | 'unit' | 'verdict'>;
  readonly among: Among;
  readonly address: string;
  readonly children?: ComponentChildren;
}

const ALWAYS = ' The sentence under the question has a wider interval, which holds however often you look while reports arrive.';

export function Facts({ metric, answer, among, address, children }: FactsProps): VNode {
  const { verdict } = answer;
  return (
    <>
      <dl class="facts">
        {explain(metric).map(({ word, meaning }) => (
          <Fact key={word} word={word}>
            {meaning}
          </Fact>
        ))}
        <Fact word="95&nbsp;% interval">
          {marginOf(among)} It is for a single look.{verdict?.looks === 'always' && verdict.interval && ALWAYS}
        </Fact>
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
  const found = pValue < SUSPICIOUS ? 'These reports do not look like randomized answers' : 'No sign of them, which proves nothing';
  const said = `${found} (p = ${pValue.toPrecision(2)}).`;
  if (perPercent === undefined) return said;
  const shift = unit === 'value' ? figure(perPercent, perPercent < 1 ? 2 : 1, Math.ceil) : `${hundredths(perPercent, 1, Math.ceil)} points`;
  return `${said} If 1 % of the reports were crafted, they could move an answer by up to ${shift}.`;
}

// Explanations of how a question is asked, and a part of the page that is rendered when it is opened.

interface DetailsProps {
  readonly metric: Metric;
  readonly estimates: Estimates;
  readonly address: string;
}

export function Details({ metric, estimates, address }: DetailsProps): VNode {
  return (
    <Facts metric={metric} answer={estimates} among={estimates.among} address={address}>
      {isOutside(estimates) && (
        <Fact word="below 0&nbsp;% or above 100&nbsp;%">
          The noise that is expected has been taken out of every estimate. The noise that came differs a little, so an estimate can lie
          outside what is possible. Read it as nearly none, or nearly all.
        </Fact>
      )}
    </Facts>
  );
}

/** True if a share cannot be as it is estimated. */
const isOutside = ({ answers, unit }: Estimates): boolean =>
  unit !== 'value' && answers.some(({ estimate }) => estimate < 0 || estimate > 1);

interface FoldedProps {
  readonly title: string;
  /** True if it is open at first. */
  readonly isOpen?: boolean;
  readonly onOpen?: (isOpen: boolean) => void;
  readonly children: () => VNode;
}

/** A part of the page that is rendered when it is opened. */
export function Folded({ title, isOpen = false, onOpen, children }: FoldedProps): VNode {
  const [open, setOpen] = useState(isOpen);
  return (
    <details
      class="details"
      open={open}
      onToggle={({ currentTarget: { open: now } }) => {
        if (now === open) return;
        setOpen(now);
        onOpen?.(now);
      }}
    >
      <summary>{title}</summary>
      {open && children()}
    </details>
  );
}

/** All data about a metric's answers as a table to read, select and copy. */
export function AnswerTable({ estimates, metric }: { estimates: Estimates; metric: Metric }): VNode {
  const { answers, unit } = estimates;
  const decimals = (unit === 'value' ? Math.max(...answers.map(decimalsForValue)) : decimalsFor(answers)) + 1;
  /** With the sign of a share, and without. */
  const whole = (value: number, round?: Rounding): string => (unit === 'value' ? figure : percent)(value, decimals, round);
  const bare = (value: number, round?: Rounding): string => (unit === 'value' ? figure : hundredths)(value, decimals, round);
  const truth = answers.some((answer) => answer.truth !== undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-frame" aria-label={`Answers to ${metric.metric} as a table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Answer</th>
            <th scope="col">Estimate</th>
            <th scope="col">Standard error</th>
            <th scope="col">95&nbsp;% interval</th>
            {truth && <th scope="col">{unit === 'value' ? 'True mean of the reports (demo)' : 'True share of the reports (demo)'}</th>}
          </tr>
        </thead>
        <tbody>
          {inOrder(answers, metric.type).map((answer) => (
            <tr key={keyOf(answer)}>
              <th scope="row" dir="auto">
                {labelOf(answer, metric.type)}
              </th>
              <td>{whole(answer.estimate)}</td>
              <td>{bare(answer.standardError, Math.ceil)}</td>
              <td>
                {bare(answer.low, Math.floor)} to {whole(answer.high, Math.ceil)}
              </td>
              {truth && <td>{answer.truth === undefined ? '' : whole(answer.truth)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
