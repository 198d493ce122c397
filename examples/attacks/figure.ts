/** Draws a figure of one or two charts as an SVG: a sentence on top, axes with titles, a legend. Its colours follow light and dark. */

/** An axis. Its ticks are drawn where they are, as `label` writes them. */
export interface Axis {
  readonly title: string;
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  readonly logarithmic?: boolean;
  readonly label?: (tick: number) => string;
}

/** What stands for what: the attacked strawman, ours, ours in another way, a bound. */
type Role = 'attacked' | 'ours' | 'other' | 'bound';

/** Points that belong together. */
export interface Series {
  readonly name: string;
  readonly role: Role;
  /** Default: `line`. `bars` stand on the axis, `sticks` are short and centred on their point. */
  readonly shape?: 'line' | 'dots' | 'bars' | 'sticks';
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** A chart. */
export interface Chart {
  readonly title?: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** Points of series that the legend has already. */
  readonly dots?: readonly Pick<Series, 'role' | 'points'>[];
}

const WIDTH = 760;
const MARGIN = { left: 64, right: 22, bottom: 50 };
const GAP = 74;
const LINE = 20;
const HEIGHT = 280;

/** Characters that fit on a line of the sentence. */
const LETTERS = 78;

const STYLE = `svg{--card:#fff;--ink:#1a2027;--quiet:#59636e;--line:#e3e5e4;--attacked:#c2410c;--ours:#2a5c9a;--other:#7c5cad;--bound:#1a2027}
@media(prefers-color-scheme:dark){svg{--card:#171c22;--ink:#e8ecf0;--quiet:#9aa5b1;--line:#2b333c;--attacked:#ff9d5c;--ours:#8fb8ea;--other:#c7aef0;--bound:#e8ecf0}}
text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:var(--ink)}
.says{font-size:16px}.says,.title{font-weight:600}.quiet{fill:var(--quiet)}.grid{stroke:var(--line)}
.line{fill:none;stroke-width:2.5;stroke-linejoin:round}.other{stroke-dasharray:11 4}.bound{stroke-dasharray:3 3;stroke-width:1.5}`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A number in a coordinate. */
const at = (value: number): string => `${Math.round(10 * value) / 10}`;

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${at(x)}" y="${at(y)}"${more}>${escaped(content)}</text>`;

/** Lines of words, none longer than so many characters. */
function wrapped(sentence: string, letters: number): readonly string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= letters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Where a value of an axis lies, from 0 to 1. */
function place({ low, high, logarithmic = false }: Axis, value: number): number {
  const inside = Math.min(high, Math.max(low, value));
  return logarithmic ? Math.log(inside / low) / Math.log(high / low) : (inside - low) / (high - low);
}

/** The rectangle of a chart's plot. */
interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

function drawSeries(
  { x, y }: Chart,
  { left, top, width }: Frame,
  { role, shape = 'line', points }: Omit<Series, 'name'>,
  bar: number,
): string {
  const colour = `var(--${role})`;
  const placed = points.map(([a, b]) => [left + width * place(x, a), top + HEIGHT * (1 - place(y, b))] as const);
  if (shape === 'line') {
    const path = placed.map(([a, b], i) => `${i === 0 ? 'M' : 'L'}${at(a)} ${at(b)}`).join('');
    return `<path class="line ${role}" stroke="${colour}" d="${path}"/>`;
  }
  if (shape === 'dots') {
    const dots = placed.map(([a, b]) => `<circle cx="${at(a)}" cy="${at(b)}" r="4.5"/>`).join('');
    return `<g fill="${colour}" stroke="var(--card)">${dots}</g>`;
  }
  const upright = placed.map(([a, b]) =>
    shape === 'bars' ? `M${at(a)} ${top + HEIGHT}V${at(b)}` : `M${at(a)} ${at(b - 26)}V${at(b + 26)}`,
  );
  return `<path stroke="${colour}" stroke-width="${at(shape === 'bars' ? bar : 1.5)}" d="${upright.join('')}"/>`;
}

/** The width of a bar: a little less than the distance of two points. */
function barWidth({ x, series }: Chart, width: number): number {
  const places = [...new Set(series.flatMap(({ shape, points }) => (shape === 'bars' ? points.map(([a]) => place(x, a)) : [])))].sort(
    (a, b) => a - b,
  );
  const gaps = places.slice(1).map((value, i) => value - (places[i] as number));
  return Math.min(24, Math.max(2, 0.9 * width * Math.min(1, ...gaps)));
}

function drawAxes({ x, y }: Chart, { left, top, width }: Frame): string {
  const bottom = top + HEIGHT;
  const labelOf = ({ label = (tick) => tick.toLocaleString('en') }: Axis, tick: number): string => label(tick);
  const rows = y.ticks.map((tick) => {
    const height = bottom - HEIGHT * place(y, tick);
    const line = `<path class="grid" d="M${at(left)} ${at(height)}H${at(left + width)}"/>`;
    return line + text(left - 8, height + 4, labelOf(y, tick), ' text-anchor="end" class="quiet"');
  });
  const columns = x.ticks.map((tick) =>
    text(left + width * place(x, tick), bottom + 19, labelOf(x, tick), ' text-anchor="middle" class="quiet"'),
  );
  const marks = x.ticks.map((tick) => `M${at(left + width * place(x, tick))} ${bottom}v5`).join('');
  const title = text(left + width / 2, bottom + 40, x.title, ' text-anchor="middle"');
  return [...rows, ...columns, `<path stroke="var(--quiet)" d="${marks}M${at(left)} ${bottom}h${at(width)}"/>`, title].join('\n');
}

/** A chart's title, legend, the title of its upright axis, then the plot. */
function drawChart(chart: Chart, left: number, top: number, width: number, rows: number): string {
  const { title, y, series, dots = [] } = chart;
  const first = top + (title === undefined ? 0 : LINE);
  const lines: string[] = title === undefined ? [] : [text(left, first - 5, title, ' class="title"')];
  for (const [i, { name, role, shape }] of series.entries()) {
    const middle = first + (i + 0.5) * LINE;
    const isThin = shape === undefined || shape === 'line';
    const swatch = isThin
      ? `<path class="line ${role}" stroke="var(--${role})" d="M${at(left)} ${middle}h22"/>`
      : `<circle cx="${at(left + 11)}" cy="${middle}" r="5" fill="var(--${role})"/>`;
    lines.push(swatch, text(left + 30, middle + 5, name));
  }
  const frame = { left, width, top: top + rows * LINE + LINE };
  lines.push(text(left - MARGIN.left + 12, frame.top - 12, y.title), drawAxes(chart, frame));
  const bar = barWidth(chart, width);
  const marks = dots.map((each) => ({ ...each, shape: 'dots' }) as const);
  return [...lines, ...[...series, ...marks].map((each) => drawSeries(chart, frame, each, bar))].join('\n');
}

/** The figure as an SVG. */
export function figure(sentence: string, charts: readonly Chart[]): string {
  const says = wrapped(sentence, LETTERS);
  const top = 14 + says.length * 22 + 10;
  const rows = Math.max(...charts.map(({ title, series }) => series.length + (title === undefined ? 0 : 1))) + 0.5;
  const height = top + rows * LINE + LINE + HEIGHT + MARGIN.bottom;
  const width = (WIDTH - MARGIN.left - MARGIN.right - (charts.length - 1) * GAP) / charts.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(sentence)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect width="${WIDTH}" height="${height}" rx="8" fill="var(--card)"/>`,
    ...says.map((line, i) => text(20, 14 + (i + 1) * 22 - 4, line, ' class="says"')),
    ...charts.map((chart, i) => drawChart(chart, MARGIN.left + i * (width + GAP), top, width, rows)),
    '</svg>\n',
  ].join('\n');
}

/** `12.5 %` of a share, with a space that no line is broken at. */
export const percent = (share: number): string => `${Math.round(1000 * share) / 10}\u00a0%`;

/** A bound in percent, rounded up. */
export const percentAtMost = (bound: number): string => percent(Math.ceil(1000 * bound) / 1000);
