// One metric with strings: which strings are there, of a list or of all, told apart from chance, and the share that none of them explains.
// What the whole distribution looks like is another question, answered in the details.

import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Answer, Estimate, Metric, MetricType, Strings } from '../api/shown.ts';
import { decodeAddress, fetchStrings, useAnswer } from './api.ts';
import { AssociationTable } from './association.tsx';
import { Evidence, Fact, Facts } from './card-parts.tsx';
import { Axis, BarRow, Lines, StringsLegend, useReordering } from './chart.tsx';
import { chosenIn, isPart, missingFrom } from './filter.ts';
import { count, decimalsFor, ends, hundredths, margin, percent, reportCount } from './format.ts';
import { axisFor, keyOf, labelOf, length, position, type Axis as Scale } from './judge.ts';
import { ExcludedLine, Frame, type QuestionProps, viewOf } from './question/frame.tsx';
import { stringRows } from './question/takeaway.ts';
import { askedIn } from './question/view.ts';
import { Decoding, NoReportsHere, TooFew } from './states.tsx';
import { VerdictLine } from './verdict-line.tsx';

// The strings of a decode as the dashboard draws them: the found ones, then those that are not told apart from chance.
// A found string is shown by the middle of what it can be, since its unbiased estimate is too large for having been chosen.

interface ShownString extends Answer {
  /** Set where it may go on. */
  readonly isCut?: true;
}

/** Strings as they are drawn. */
interface ShownStrings {
  readonly found: readonly ShownString[];
  readonly others: readonly ShownString[];
  /** Share that none of the found strings explains; undefined where nothing can be said. */
  readonly rest: Estimate | undefined;
}

function shownOf({ strings, unexplained }: Strings): ShownStrings {
  const rows = strings.map(({ typical, ...string }) => ({ ...string, estimate: typical }));
  return { found: rows.filter(({ isFound }) => isFound), others: rows.filter(({ isFound }) => !isFound), rest: unexplained };
}

// Bars of the strings that were found, then in grey the most that each of the others can be; below them what no found string explains.
// Long lists show the top dozen first.

const AT_FIRST = 12;

interface StringsChartProps {
  readonly strings: Strings;
  readonly type: MetricType;
  readonly title: string;
}

function StringsChart({ strings, type, title }: StringsChartProps): VNode {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const { found, others, rest } = shownOf(strings);
  const total = found.length + others.length;
  const folds = total > AT_FIRST + 1;
  const most = all || !folds ? total : AT_FIRST;
  const [shown, unclear] = [found.slice(0, most), others.slice(0, Math.max(0, most - found.length))];
  const rows = [...shown, ...unclear];
  useReordering(list, rows.map(keyOf).join('\n'));
  const axis = axisFor(rows, type);
  const decimals = decimalsFor(rows);
  const ofAll = `${count(total)} of ${count(strings.candidates)}`;
  return (
    <div class="chart">
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari forgets that a list without markers is a list */}
      <ul role="list" class="bars" aria-label={`Strings and their estimated shares with 95 % intervals: ${title}`} ref={list}>
        {shown.map((answer) => (
          <BarRow key={keyOf(answer)} answer={answer} label={labelOf(answer, type)} axis={axis} decimals={decimals} isFound />
        ))}
        {unclear.length > 0 && <li class="row-divide">Not told apart from chance</li>}
        {unclear.map((answer) => (
          <UnclearRow key={keyOf(answer)} answer={answer} label={labelOf(answer, type)} axis={axis} decimals={decimals} />
        ))}
      </ul>
      <Axis axis={axis} />
      <StringsLegend found={shown} others={unclear} />
      {rest && found.length > 0 && <Rest rest={rest} note={leftOver(strings, type)} />}
      {folds && (
        <button type="button" class="quiet-button" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show the top ${AT_FIRST}` : total < strings.candidates ? `Show ${ofAll}` : `Show all ${count(total)}`}
        </button>
      )}
    </div>
  );
}

/** A string that may well not be there: no bar, and the most that it can be. */
function UnclearRow({ answer, label, axis, decimals }: { answer: Answer; label: string; axis: Scale; decimals: number }): VNode {
  const { high, truth } = answer;
  const most = `at most ${percent(high, decimals, Math.ceil)}`;
  return (
    <li class="row row-unclear" title={`${label}: not told apart from chance, ${most}`}>
      <span class="row-label" dir="auto">
        {label}
      </span>
      <span class="track" aria-hidden="true">
        <Lines axis={axis} />
        {truth !== undefined && <span class="truth" style={{ left: position(axis, truth) }} />}
        <span class="reach" style={{ left: position(axis, 0), width: length(axis, high) }} />
      </span>
      <span class="row-value">
        <span class="row-margin">{most}</span>
      </span>
    </li>
  );
}

/** Words about strings that are not found. */
function leftOver({ found, candidates }: Strings, type: MetricType): string {
  if (type === 'discover') return 'Strings that are each too rare to be told apart from chance.';
  return found < candidates ? 'Strings that are on no list, and listed ones that are too rare to find.' : 'Strings that are on no list.';
}

/** Bar of the share that none of the found strings explains. */
function Rest({ rest, note }: { rest: Estimate; note: string }): VNode {
  const decimals = decimalsFor([rest]);
  return (
    <p class="rest">
      Everything else: <strong>{percent(rest.estimate, decimals)}</strong> ± {margin(rest, decimals)}
      <span class="rest-note">{note}</span>
    </p>
  );
}

// All numbers of a decode: a table of the strings, another of the whole distribution, which answers another question, and explanations.
// It is rendered when it is opened.

const MOST_SHARES = 12;

interface StringsDetailsProps {
  readonly metric: Metric;
  readonly strings: Strings;
  readonly address: string;
}

function StringsDetails({ metric, strings, address }: StringsDetailsProps): VNode {
  const { fdr, detectable, indistinguishable } = strings;
  return (
    <>
      <Whole metric={metric} strings={strings} />
      <Facts metric={metric} answer={strings} among="population" address={address}>
        <Fact word="q">
          The smaller, the less a string looks like chance. Strings with a q of at most {fdr} are shown as found: on average, at most{' '}
          {percent(fdr, 0)} of those are not there.
        </Fact>
        {detectable !== undefined && (
          <Fact word="what can be found">
            A string is found half of the time if {percent(detectable, decimalsOf(detectable), Math.ceil)} of the reports come from it.
          </Fact>
        )}
        {indistinguishable > 0 && (
          <Fact word="collisions">{count(indistinguishable)} strings of the list look the same as another one, and are never found.</Fact>
        )}
      </Facts>
    </>
  );
}

const decimalsOf = (share: number): number => (share < 0.001 ? 3 : share < 0.01 ? 2 : 1);

const small = (q: number): string => (q < 0.001 ? '< 0.001' : q.toFixed(3));

function StringTable({ metric, strings: { strings } }: { metric: Metric; strings: Strings }): VNode {
  const decimals = decimalsFor(strings) + 1;
  const truth = strings.some((string) => string.truth !== undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-frame" aria-label={`Strings of ${metric.metric} as a table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">String</th>
            <th scope="col">Share</th>
            <th scope="col">Standard error</th>
            <th scope="col">95&nbsp;% interval</th>
            <th scope="col">q</th>
            {truth && <th scope="col">True share of the reports (demo)</th>}
          </tr>
        </thead>
        <tbody>
          {strings.map((string) => (
            <tr key={JSON.stringify(string.answer)} class={string.isFound ? '' : 'unclear'}>
              <th scope="row" dir="auto">
                {labelOf(string, metric.type)}
              </th>
              <td>{string.isFound ? percent(string.typical, decimals) : 'not found'}</td>
              <td>{hundredths(string.standardError, decimals, Math.ceil)}</td>
              <td>{string.isFound ? ends(string, decimals, 'to') : `at most ${percent(string.high, decimals, Math.ceil)}`}</td>
              <td>{small(string.qValue)}</td>
              {truth && <td>{string.truth === undefined ? '' : percent(string.truth, decimals)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The other question. */
function Whole({ metric, strings: { distribution } }: { metric: Metric; strings: Strings }): VNode | null {
  if (distribution === undefined) return null;
  const { shares, rest, other } = distribution;
  const shown = shares.slice(0, MOST_SHARES);
  const sum = shares.slice(MOST_SHARES).reduce((total, { share }) => total + share, rest);
  return (
    <section class="whole">
      <h4>What does the whole look like?</h4>
      <p class="note">
        Another question, with another answer: shares that are near the truth together. They add up to 100&nbsp;% and have no intervals. A
        string in this list need not be there.
      </p>
      <table>
        <tbody>
          {shown.map(({ answer, label, share }) => (
            <tr key={JSON.stringify(answer)}>
              <th scope="row" dir="auto">
                {labelOf({ answer, label }, metric.type)}
              </th>
              <td>{percent(share, 1)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">other strings of the list</th>
            <td>{percent(sum, 1)}</td>
          </tr>
          <tr>
            <th scope="row">what fits no string: those on no list, and whatever is too rare to place</th>
            <td>{percent(other, 1)}</td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}

interface StringsPageProps extends QuestionProps {
  /** Stands for it where the list is too long to be decoded. */
  readonly tooLong: VNode;
}

export function StringsPage({ tooLong, ...props }: StringsPageProps): VNode {
  const { metric, filter, span } = props;
  const { view } = viewOf(props);
  const { among: _always, ...asked } = askedIn(props, view);
  const address = decodeAddress(metric, asked);
  const state = useAnswer(metric, address, (signal, onProgress) => fetchStrings(metric, asked, signal, onProgress));
  const { value: strings, progress, outdated } = state;
  if (state.refusal === 'too-many-candidates') return tooLong;
  const shows = strings !== null && strings.strings.length > 0;
  return (
    <Frame
      of={props}
      state={state}
      sentence={strings && <Conclusion strings={strings} metric={metric} />}
      evidence={
        <>
          <Evidence
            metric={metric}
            estimates={strings && { ...strings, among: 'population' }}
            chosen={chosenIn(asked)}
            isFiltered={isPart(asked)}
            missing={missingFrom(metric, filter)}
            span={span}
          />
          <ExcludedLine excluded={strings?.excluded} />
        </>
      }
      loading={<Decoding progress={progress} />}
      waiting={outdated ? <Decoding progress={progress} /> : null}
      takeaway={shows ? { rows: () => stringRows(strings), address } : null}
      table={shows ? () => <StringTable metric={metric} strings={strings} /> : null}
      details={strings && (() => <StringsDetails metric={metric} strings={strings} address={address} />)}
    >
      {strings && <Shown metric={metric} strings={strings} someReports={span !== null} />}
      {shows && metric.type === 'joint' && <AssociationTable metric={metric} asked={asked} basis={strings} />}
    </Frame>
  );
}

function Conclusion({ strings, metric }: { strings: Strings; metric: Metric }): VNode | null {
  const { outcome, meaning } = strings;
  if (outcome === 'too-few-reports' || outcome === 'no-candidates') return null;
  const { verdict } = strings;
  // A string may be there, and its share not known any better than "at most so much".
  const isKnown = strings.found > 0 && verdict !== undefined && verdict.kind !== 'noise';
  return (
    <>
      {isKnown && <VerdictLine verdict={verdict} answers={shownOf(strings).found} metric={metric} />}
      <p class={isKnown && outcome === 'decoded' ? 'verdict verdict-more' : 'verdict'}>{meaning.replaceAll(' %', '\u00a0%')}</p>
    </>
  );
}

/** In place of a chart: what it would take. */
function NothingFound({ strings: { reports, detectable } }: { strings: Strings }): VNode | null {
  if (detectable === undefined) return null;
  return (
    <p class="quiet">
      From {reportCount(reports)}, a string is found half of the time if {percent(detectable, 1, Math.ceil)} of them come from it.
    </p>
  );
}

interface ShownProps {
  readonly metric: Metric;
  readonly strings: Strings;
  readonly someReports: boolean;
}

function Shown({ metric, strings, someReports }: ShownProps): VNode {
  const title = metric.description || metric.metric;
  const chart = useMemo(
    () =>
      strings.strings.length > 0 ? <StringsChart strings={strings} type={metric.type} title={title} /> : <NothingFound strings={strings} />,
    [strings, metric.type, title],
  );
  switch (strings.outcome) {
    case 'too-few-reports':
      return strings.reports === 0 ? <NoReportsHere metric={metric} someReports={someReports} /> : <TooFew estimates={strings} />;
    case 'no-candidates':
      return <TooFew estimates={strings} />;
    case 'not-enough-data':
      return <p class="quiet">Nothing can be shown yet. It needs more reports{metric.type === 'discover' ? '' : ', not a longer list'}.</p>;
    default:
      return chart;
  }
}
