// The frame of a card: the question, the conclusion and its evidence, and how it is asked; beside them the answers.
// What stands in it depends on the kind of metric.

import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';
import type { Metric } from '../api/shown.ts';
import { explain } from './explain.ts';
import { Failed, LoadingBars } from './states.tsx';
import type { AnswerState } from './use-answer.ts';

interface CardFrameProps<T> {
  readonly metric: Metric;
  readonly state: AnswerState<T>;
  /** The conclusion and the evidence. */
  readonly about: ComponentChildren;
  /** Stands for the answers until they come. */
  readonly loading?: VNode;
  /** Stands above answers to the previous filter. */
  readonly waiting?: VNode | null;
  readonly children: ComponentChildren;
}

export function CardFrame<T>({ metric, state, about, loading, waiting, children }: CardFrameProps<T>): VNode {
  const title = useId();
  const { value, problem, outdated } = state;
  return (
    <article class="card" aria-labelledby={title} aria-busy={outdated}>
      <div class="card-about">
        <h3 id={title}>{metric.description || metric.metric}</h3>
        <div class={outdated ? 'outdated' : ''}>{about}</div>
        <ul class="tags" aria-label="How it is asked">
          <li class="tag tag-name" title={`${metric.app}, version ${metric.version}, a ${metric.type}`}>
            {metric.metric}
          </li>
          {explain(metric).map(({ word, meaning }) => (
            <li key={word} class="tag" title={meaning}>
              {word}
            </li>
          ))}
        </ul>
      </div>
      <div class="card-answers">
        {problem && !value ? (
          <Failed title="No estimates" problem={`${problem} Trying again.`} />
        ) : value ? (
          <>
            {waiting}
            <div class={outdated ? 'outdated' : ''}>
              {children}
              {problem && <p class="note note-problem">{problem} These are the last numbers that came.</p>}
            </div>
          </>
        ) : (
          (loading ?? <LoadingBars />)
        )}
      </div>
    </article>
  );
}
