/** A line chart as SVG, for the pages: axes with few ticks, lines with their names at the end, points where something was measured. */

/** One line, and points beside it. */
interface Line {
  readonly name: string;
  readonly colour: string;
  readonly line: readonly (readonly [x: number, y: number])[];
  readonly points?: readonly (readonly [x: number, y: number])[];
}

/** An axis. A logarithmic one has its ticks at the values that are given. */
interface Axis {
  readonly name: string;
  readonly ticks: readonly number[];
  readonly logarithmic?: boolean;
}

/** A picture. */
export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
}

const [WIDTH, HEIGHT] = [720, 400];
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 190, 50, 55];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const short = (x: number): string => String(Math.round(x * 10) / 10);

/** Maps an axis to pixels. */
function scale({ ticks, logarithmic = false }: Axis, from: number, to: number): (value: number) => number {
  const place = (value: number): number => (logarithmic ? Math.log(value) : value);
  const [low, high] = [place(ticks[0] as number), place(ticks.at(-1) as number)];
  return (value) => from + ((to - from) * (place(value) - low)) / (high - low);
}

/** Names at the ends of lines, moved apart where they would overlap. */
function namesOf(ends: readonly { readonly name: string; readonly colour: string; readonly y: number }[]): readonly string[] {
  let last = Number.NEGATIVE_INFINITY;
  return [...ends]
    .sort((a, b) => a.y - b.y)
    .map(({ name, colour, y }) => {
      last = Math.max(y, last + 18);
      return `<text x="${WIDTH - RIGHT + 10}" y="${short(last + 4)}" fill="${colour}">${escaped(name)}</text>`;
    });
}

/** The picture of a chart. */
export function svgOf({ title, x, y, lines }: Chart): string {
  const [atX, atY] = [scale(x, LEFT, WIDTH - RIGHT), scale(y, HEIGHT - BOTTOM, TOP)];
  const place = ([a, b]: readonly [number, number]): string => `${short(atX(a))},${short(atY(b))}`;
  const grid = y.ticks.map((tick) => {
    const at = short(atY(tick));
    return (
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#ddd"/>` +
      `<text x="${LEFT - 8}" y="${short(atY(tick) + 4)}" text-anchor="end">${tick.toLocaleString('en')}</text>`
    );
  });
  const below = x.ticks.map(
    (tick) => `<text x="${short(atX(tick))}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${tick.toLocaleString('en')}</text>`,
  );
  const drawn = lines.flatMap(({ colour, line, points = [] }) => [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${line.map(place).join(' ')}"/>`,
    ...points.map(([a, b]) => `<circle cx="${short(atX(a))}" cy="${short(atY(b))}" r="4" fill="${colour}"/>`),
  ]);
  const ends = lines.map(({ name, colour, line }) => ({ name, colour, y: atY((line.at(-1) as readonly [number, number])[1]) }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13" fill="#333">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="24" font-size="15" font-weight="bold">${escaped(title)}</text>`,
    `<text x="${LEFT}" y="42" fill="#666">${escaped(y.name)}</text>`,
    ...grid,
    ...below,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle" fill="#666">${escaped(x.name)}</text>`,
    ...drawn,
    ...namesOf(ends),
    '</svg>',
    '',
  ].join('\n');
}
