// All numbers of a decode: a table of the strings, another of the whole distribution, which answers another question, and explanations.
// It is rendered when it is opened.

import type { VNode } from 'preact';
import type { Metric, Strings } from '../api/shown.ts';
import { Folded } from './details.tsx';
import { Fact, Facts } from './facts.tsx';
import { count, decimalsFor, ends, hundredths, percent } from './format.ts';
import { labelOf } from './order.ts';

const MOST_SHARES = 12;

interface StringsDetailsProps {
  readonly metric: Metric;
  readonly strings: Strings;
  readonly address: string;
}

export function StringsDetails(props: StringsDetailsProps): VNode {
  return <Folded>{() => <Opened {...props} />}</Folded>;
}

function Opened({ metric, strings, address }: StringsDetailsProps): VNode {
  const { fdr, detectable, indistinguishable } = strings;
  return (
    <>
      {strings.strings.length > 0 && <StringTable metric={metric} strings={strings} />}
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
          <Fact word="twins">{count(indistinguishable)} strings of the list look the same as another one, and are never found.</Fact>
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
