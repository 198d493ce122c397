// For lists that are asked together, or a text with lists: one sentence on whether they go together, and the table of both, of a text with the
// strings that are found. It is asked again with each new answer about the metric, so both describe the same reports.

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Association, Metric } from '../api/shown.ts';
import { type Asked, fetchAssociation, problemInWords } from './api.ts';
import { margin, percent, rangeInWords } from './format.ts';
import { isOpen } from './judge.ts';

interface AssociationProps {
  readonly metric: Metric;
  readonly asked: Asked;
  /** The answer beside which it stands: when that changes, it is asked again. */
  readonly basis: object;
}

/** Rows of the table. */
const MOST = 20;

export function AssociationTable({ metric, asked, basis }: AssociationProps): VNode | null {
  const [found, setFound] = useState<Association | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const control = new AbortController();
    fetchAssociation(metric, asked, control.signal).then(
      (association) => {
        setFound(association);
        setProblem(null);
      },
      (error) => {
        if (!control.signal.aborted) setProblem(problemInWords(error));
      },
    );
    return () => control.abort();
  }, [basis]);
  if (!found) return problem === null ? null : <p class="note note-problem">{problem}</p>;
  const rows = found.strings.filter(({ isFound }) => isFound).slice(0, MOST);
  return (
    <section class="association" aria-label={`${found.lists.join(' and ')} with ${found.text}`}>
      <h4>
        Does {found.lists.join(' and ')} go with {found.text}?
      </h4>
      <p class="note">{inSentence(found.verdict)}</p>
      {found.found && rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <div class="table-frame" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{found.text}</th>
                <th scope="col">of all, 95&nbsp;% interval</th>
                {found.found.answers.map(({ label }) => (
                  <th key={label} scope="col" dir="auto">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ string, answers, ...share }) => (
                <Row key={string} title={string === '' ? '(empty)' : string} share={share} answers={answers} />
              ))}
              <Row title={isOpen(metric) ? 'All of these' : 'Everybody'} share={found.found} answers={found.found.answers} />
              {isOpen(metric) && <Rest found={found.found} columns={found.found.answers.length} />}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const inSentence = (verdict: string): string => `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}.`.replaceAll(' %', '\u00a0%');

/** A share with the margin of its 95 % interval. Where no share can be there, what is left of the interval in words. */
const withMargin = (share: RowProps['share'], decimals: number): string =>
  share.low >= 0 && share.high <= 1 ? `${percent(share.estimate, decimals)} ± ${margin(share, decimals)}` : rangeInWords(share, decimals);

type RowProps = Pick<Association['strings'][number], 'answers'> & {
  readonly title: string;
  readonly share: Pick<Association['strings'][number], 'estimate' | 'low' | 'high'>;
};

/** The devices with other strings. A string is hashed together with its answers, so those of a string that is not found are not known. */
function Rest({ found, columns }: { found: RowProps['share']; columns: number }): VNode {
  const share = { estimate: Math.max(0, 1 - found.estimate), low: 1 - found.high, high: 1 - found.low };
  return (
    <tr>
      <th scope="row">Everything else</th>
      <td>{withMargin(share, 1)}</td>
      <td class="words" colSpan={columns}>
        not known: a string that is not found hides its answers
      </td>
    </tr>
  );
}

/** A string's share, and what those with it answered. */
function Row({ title, share, answers }: RowProps): VNode {
  return (
    <tr>
      <th scope="row" dir="auto">
        {title}
      </th>
      <td>{withMargin(share, 1)}</td>
      {answers.map(({ label, within }) => (
        <td key={label}>{within && withMargin(within, 0)}</td>
      ))}
    </tr>
  );
}
