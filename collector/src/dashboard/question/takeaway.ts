// Takeaways of a page: its numbers as CSV, and a part of it as an image.

import type { Comparison, Estimates, Strings } from '../../api/shown.ts';
import { field } from '../../base/csv.ts';
import type { Drawn } from './reading.tsx';

/** Rows of a file, its heading first. */
export type Rows = readonly (readonly unknown[])[];

/** The rows as CSV. Strings in reports are chosen by strangers, so none is left that a spreadsheet would run. */
export const csvOf = (rows: Rows): string => rows.map((row) => `${row.map((value) => field(value ?? '')).join()}\r\n`).join('');

const NUMBERS = ['estimate', 'standardError', 'low', 'high'] as const;

export const answerRows = ({ answers, reports, from, to }: Estimates): Rows => [
  ['from', 'to', 'reports', 'answer', ...NUMBERS],
  ...answers.map((answer) => [from, to, reports, answer.label, ...NUMBERS.map((name) => answer[name])]),
];

export const seriesRows = (drawn: Drawn): Rows => [
  ['side', 'from', 'to', 'reports', 'answer', ...NUMBERS, 'change', 'changeIsClear'],
  ...drawn.flatMap(({ name, series }) =>
    series.points.flatMap(({ from, to, reports, answers }) =>
      answers.map((answer) => {
        const { estimate: change, isClear } = answer.change ?? {};
        return [name, from, to, reports, answer.label, ...NUMBERS.map((name) => answer[name]), change, isClear];
      }),
    ),
  ),
];

export const comparisonRows = ({ mean, median, differences }: Comparison): Rows => [
  ['answer', ...['a', 'b', 'difference'].flatMap((of) => NUMBERS.map((name) => `${of}.${name}`)), 'isClear', 'verdict'],
  ...[...(mean ? [{ label: 'mean', ...mean }] : []), ...(median ? [{ label: 'median', ...median }] : []), ...differences].map(
    ({ label, a, b, difference, isClear, verdict }) => [
      label,
      ...[a, b, difference].flatMap((found) => NUMBERS.map((name) => found[name])),
      isClear,
      verdict,
    ],
  ),
];

const OF_STRINGS = ['isFound', 'typical', 'standardError', 'low', 'high', 'pValue', 'qValue'] as const;

export const stringRows = ({ strings, reports, from, to }: Strings): Rows => [
  ['from', 'to', 'reports', 'string', ...OF_STRINGS],
  ...strings.map((string) => [from, to, reports, string.label, ...OF_STRINGS.map((name) => string[name])]),
];

// A part of the page as an image: its boxes, texts and drawings become one SVG, with the styles that the page computed for them.
// Texts stay texts, so that an editor of slides can change them. What is marked with `data-aside`, such as buttons, is left out.

const SPACE = 24;
const SVG = 'http://www.w3.org/2000/svg';

type Attributes = { readonly [name: string]: string | number };

function drawn(name: string, attributes: Attributes): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, typeof value === 'number' ? `${Math.round(100 * value) / 100}` : value);
  return element;
}

/** Where a part is drawn, relative to where it is on the screen. */
interface Offset {
  readonly x: number;
  readonly y: number;
}

const isClear = (color: string): boolean => color === 'transparent' || /^rgba\(.*, 0\)$/.test(color);

const pixels = (length: string): number => Number.parseFloat(length) || 0;

/** The background and the border of a box. */
function boxOf(style: CSSStyleDeclaration, { x, y, width, height }: DOMRectReadOnly | Omit<DOMRect, 'toJSON'>): readonly SVGElement[] {
  const found: SVGElement[] = [];
  const rx = Math.min(pixels(style.borderTopLeftRadius), width / 2, height / 2);
  if (!isClear(style.backgroundColor)) found.push(drawn('rect', { x, y, width, height, rx, fill: style.backgroundColor }));
  const border = pixels(style.borderTopWidth);
  if (rx > 0 && border > 0 && style.borderTopStyle !== 'none' && !isClear(style.borderTopColor)) {
    const inner = { x: x + border / 2, y: y + border / 2, width: width - border, height: height - border };
    const dashes = style.borderTopStyle === 'dashed' && { 'stroke-dasharray': '3 2' };
    found.push(drawn('rect', { ...inner, rx, fill: 'none', stroke: style.borderTopColor, 'stroke-width': border, ...dashes }));
    return found;
  }
  const sides = [
    ['top', x, y, x + width, y],
    ['right', x + width, y, x + width, y + height],
    ['bottom', x, y + height, x + width, y + height],
    ['left', x, y, x, y + height],
  ] as const;
  for (const [side, x1, y1, x2, y2] of sides) {
    const wide = pixels(style.getPropertyValue(`border-${side}-width`));
    const [kind, stroke] = [style.getPropertyValue(`border-${side}-style`), style.getPropertyValue(`border-${side}-color`)];
    if (wide === 0 || kind === 'none' || isClear(stroke)) continue;
    found.push(drawn('line', { x1, y1, x2, y2, stroke, 'stroke-width': wide, ...(kind === 'dashed' && { 'stroke-dasharray': '3 2' }) }));
  }
  return found;
}

/** The lines of a text, each with its place. A line ends where the next letter is lower. */
function linesOf(node: Text): readonly { readonly text: string; readonly box: DOMRect }[] {
  const lines: { text: string; box: DOMRect }[] = [];
  const range = document.createRange();
  let start = 0;
  for (const letter of node.data) {
    range.setStart(node, start);
    start += letter.length;
    range.setEnd(node, start);
    const box = range.getClientRects()[0];
    if (!box || box.width === 0) continue;
    const line = lines.at(-1);
    const isSame = line !== undefined && Math.abs(line.box.top - box.top) < box.height / 2;
    if (isSame) line.text += letter;
    // An SVG drops spaces at the ends of a text, so a line is as long as its letters.
    if (letter.trim() === '' && letter !== '\u00a0') continue;
    if (isSame) line.box = new DOMRect(line.box.x, line.box.y, box.right - line.box.x, line.box.height);
    else lines.push({ text: letter, box });
  }
  return lines.map(({ text, box }) => ({ text: text.trim(), box }));
}

const context = (): CanvasRenderingContext2D | null => document.createElement('canvas').getContext('2d');

const FONT = ['font-family', 'font-size', 'font-weight', 'font-style', 'letter-spacing', 'font-variant-numeric'] as const;
const PAINT = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'stroke-opacity',
  'opacity',
  'text-anchor',
];

const fontOf = (style: CSSStyleDeclaration): Attributes => Object.fromEntries(FONT.map((name) => [name, style.getPropertyValue(name)]));

function textOf(node: Text, style: CSSStyleDeclaration, { x, y }: Offset, pen: CanvasRenderingContext2D | null): readonly SVGElement[] {
  if (pen) pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const ascent = pen?.measureText('x').fontBoundingBoxAscent ?? pixels(style.fontSize);
  return linesOf(node).map(({ text, box }) => {
    // A font of another width would push numbers out of their column, so they keep the end that they are aligned to.
    const atEnd = /right|end/.test(style.textAlign);
    const place = { x: (atEnd ? box.right : box.left) + x, y: box.top + ascent + y, 'text-anchor': atEnd ? 'end' : 'start' };
    const element = drawn('text', { ...place, ...fontOf(style), fill: style.color });
    element.textContent = text;
    return element;
  });
}

/** A drawing with the styles that were computed for it as attributes. */
function copyOf(source: SVGSVGElement, offset: Offset): SVGElement {
  const copy = source.cloneNode(true) as SVGSVGElement;
  const copies = [...copy.querySelectorAll('*')];
  for (const [i, element] of [...source.querySelectorAll('*')].entries()) {
    const target = copies[i];
    const style = getComputedStyle(element);
    if (element.closest('[data-aside]')) target?.remove();
    const names = element.tagName === 'text' ? [...PAINT, ...FONT] : PAINT;
    for (const name of names) target?.setAttribute(name, style.getPropertyValue(name));
    target?.removeAttribute('class');
  }
  const { x, y, width, height } = source.getBoundingClientRect();
  for (const [name, value] of Object.entries({ x: x + offset.x, y: y + offset.y, width, height })) copy.setAttribute(name, `${value}`);
  for (const name of ['class', 'style', 'role', 'aria-label']) copy.removeAttribute(name);
  return copy;
}

/** Parts of the page that no image shows. */
const ASIDE = '[data-aside], button, input, select, summary';

function draw(element: Element, onto: SVGElement, offset: Offset, pen: CanvasRenderingContext2D | null): void {
  const style = getComputedStyle(element);
  if (style.display === 'none' || style.visibility === 'hidden' || element.matches(ASIDE)) return;
  if (element instanceof SVGSVGElement) return void onto.append(copyOf(element, offset));
  const into = style.opacity === '1' ? onto : drawn('g', { opacity: style.opacity });
  if (into !== onto) onto.append(into);
  const rect = element.getBoundingClientRect();
  const at = (x: number, y: number, width: number, height: number) => ({ x: x + offset.x, y: y + offset.y, width, height });
  into.append(...boxOf(style, at(rect.x, rect.y, rect.width, rect.height) as DOMRect));
  const before = getComputedStyle(element, '::before');
  if (before.content !== 'none' && before.position === 'absolute') {
    const [left, top] = [
      rect.x + element.clientLeft + pixels(before.left),
      rect.y + element.clientTop + pixels(before.top) + pixels(before.marginTop),
    ];
    into.append(...boxOf(before, at(left, top, pixels(before.width), pixels(before.height)) as DOMRect));
  }
  for (const child of element.childNodes) {
    if (child instanceof Text) into.append(...textOf(child, style, offset, pen));
    else if (child instanceof Element) draw(child, into, offset, pen);
  }
}

/** The box of all that is drawn of a part. */
function boxIn(part: HTMLElement): { readonly top: number; readonly left: number; readonly width: number; readonly height: number } {
  const leaves = [...part.querySelectorAll('*')].filter(
    (each) => each instanceof SVGSVGElement || (each instanceof HTMLElement && each.childElementCount === 0),
  );
  const boxes = leaves.filter((each) => !each.closest(ASIDE)).map((each) => each.getBoundingClientRect());
  const { top, left, width } = part.getBoundingClientRect();
  return { top, left, width, height: Math.max(0, ...boxes.map(({ bottom }) => bottom - top)) };
}

/** An image of parts of the page, one below the other, on the colour of a card. */
export function svgOf(parts: readonly HTMLElement[], title: string): SVGSVGElement {
  const boxes = parts.map(boxIn);
  const width = Math.max(...boxes.map((box) => box.width)) + 2 * SPACE;
  const svg = drawn('svg', { width, role: 'img' }) as SVGSVGElement;
  const name = drawn('title', {});
  name.textContent = title;
  const paper = drawn('rect', { width: '100%', height: '100%' });
  svg.append(name, paper);
  const pen = context();
  let y = SPACE;
  for (const [i, part] of parts.entries()) {
    const { top, left, height } = boxes[i] as (typeof boxes)[number];
    draw(part, svg, { x: SPACE - left, y: y - top }, pen);
    y += height + SPACE;
  }
  paper.setAttribute('fill', getComputedStyle(document.documentElement).getPropertyValue('--card').trim());
  svg.setAttribute('height', `${y}`);
  svg.setAttribute('viewBox', `0 0 ${width} ${y}`);
  return svg;
}

export const textOfSvg = (svg: SVGSVGElement): string => new XMLSerializer().serializeToString(svg);

/** Pixels of a slide. */
const SLIDE = 1_920;

/** The same as pixels, at least as wide as a slide. */
export async function pngOf(svg: SVGSVGElement): Promise<Blob> {
  const [width, height] = [svg.width.baseVal.value, svg.height.baseVal.value];
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(textOfSvg(svg))}`;
  await image.decode();
  const scale = Math.max(2, SLIDE / width);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('This browser can’t draw the picture.'))), 'image/png'),
  );
}
