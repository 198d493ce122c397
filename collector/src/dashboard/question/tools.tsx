// Ways to take a picture away: a link to the view, the sentence, an image, and its numbers.

import type { RefObject, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Metric } from '../../api/shown.ts';
import { problemInWords, publicAddress } from '../api.ts';
import { csvOf, pngOf, type Rows, svgOf, textOfSvg } from './takeaway.ts';

function save(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Copies a text. Pages over plain http have no clipboard, and copy what is selected. */
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone) throw new Error('This browser does not let the page copy.');
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The HTML that shows a published question in a page of another site. */
function frameOf(published: Pick<Metric, 'app' | 'metric'>, title: string): string {
  const address = new URL(publicAddress(published, 'embed'), document.baseURI);
  return `<iframe src="${address}" title="${escaped(title)}" width="640" height="600" style="border: 0" loading="lazy"></iframe>`;
}

const SAID_FOR = 4_000;

interface ToolsProps {
  /** Name of the files, without an ending. */
  readonly name: string;
  readonly title: string;
  /** Parts of the image, from top to bottom. */
  readonly parts: readonly RefObject<HTMLElement | null>[];
  readonly rows: () => Rows;
  /** Where the numbers are as JSON. */
  readonly address: string;
  /** The words of the page, with their question. */
  readonly sentence: () => string;
  /** The question, where anybody may see it. */
  readonly published?: Pick<Metric, 'app' | 'metric'> | undefined;
}

export function Tools({ name, title, parts, rows, address, sentence, published }: ToolsProps): VNode {
  const [said, setSaid] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const say = (text: string): void => {
    clearTimeout(timer.current);
    setSaid(text);
    timer.current = setTimeout(() => setSaid(''), SAID_FOR);
  };
  const act = (action: () => void | Promise<void>, done: string) => (): void => {
    Promise.resolve()
      .then(action)
      .then(
        () => say(done),
        (problem) => say(problemInWords(problem)),
      );
  };
  const image = (): SVGSVGElement =>
    svgOf(
      parts.flatMap(({ current }) => current ?? []),
      title,
    );
  const tools: readonly (readonly [word: string, run: () => void])[] = [
    ['Copy link', act(() => copy(location.href), 'The link to this view is copied.')],
    ['Copy sentence', act(() => copy(sentence()), 'The sentence is copied.')],
    ['PNG', act(async () => save(`${name}.png`, await pngOf(image())), 'The picture is saved.')],
    ['SVG', act(() => save(`${name}.svg`, new Blob([textOfSvg(image())], { type: 'image/svg+xml' })), 'The picture is saved.')],
    ['CSV', act(() => save(`${name}.csv`, new Blob([csvOf(rows())], { type: 'text/csv' })), 'The numbers are saved.')],
    ...(published ? [['Copy embed', act(() => copy(frameOf(published, title)), 'The HTML of a frame is copied.')] as const] : []),
  ];
  return (
    <div class="tools" data-aside>
      {tools.map(([word, run]) => (
        <button key={word} type="button" class="quiet-button" onClick={run}>
          {word}
        </button>
      ))}
      <a class="quiet-button" href={address} download={`${name}.json`}>
        JSON
      </a>
      {published && !location.pathname.endsWith(`/${publicAddress(published, 'public')}`) && (
        <a class="quiet-button" href={publicAddress(published, 'public')}>
          Public page
        </a>
      )}
      <span class="tools-said" role="status">
        {said}
      </span>
    </div>
  );
}
