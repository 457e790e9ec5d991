/** Demand and what policies served of it, hour by hour, as SVG; readable on light and on dark pages. */

export type ServedLine = { name: string; served: Float64Array };

const WIDTH = 900;
const HEIGHT = 400;
const FRAME = { left: 64, right: 20, top: 66, bottom: 40 };
const COLOURS = ['#9b9b9b', '#d1495b', '#e08e0b', '#3d8b37', '#8e5ea2'];

const STYLE = `
:root { --paper: #ffffff; --ink: #1f2328; --grid: #d8dee4; --band: #a8cbe0 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0d1117; --ink: #e6edf3; --grid: #30363d; --band: #1d4a66 }
}
text { font: 13px system-ui, sans-serif; fill: var(--ink) }
.title { font-weight: 600; font-size: 15px }
.paper { fill: var(--paper) }
.grid { stroke: var(--grid) }
.band { fill: var(--band) }
.line { fill: none; stroke-width: 2 }`;

/**
 * @param demand trips per hour, from a local midnight on
 * @param days a label for each day
 */
export function plotServed(
  title: string,
  demand: Float64Array,
  lines: readonly ServedLine[],
  days: readonly string[],
): string {
  const hours = demand.length;
  const [right, bottom] = [WIDTH - FRAME.right, HEIGHT - FRAME.bottom];
  const tick = 5000;
  const top = tick * Math.max(1, Math.ceil(Math.max(...demand) / tick));
  const x = (hour: number) => (FRAME.left + ((right - FRAME.left) * hour) / hours).toFixed(1);
  const y = (trips: number) => (bottom - ((bottom - FRAME.top) * trips) / top).toFixed(1);
  const points = (values: Float64Array) => Array.from(values, (value, t) => `${x(t + 0.5)},${y(value)}`);
  const ticks = Array.from({ length: top / tick + 1 }, (_, i) => i * tick);
  const text = (at: [number | string, number | string], words: string, more = '') =>
    `<text x="${at[0]}" y="${at[1]}"${more}>${words}</text>`;
  const legend = [{ name: 'demand' }, ...lines];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `<title>${title}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>`,
    text([FRAME.left, 24], title, ' class="title"'),
    ...legend.flatMap(({ name }, i) => {
      const left = FRAME.left + 160 * i;
      const paint = i === 0 ? 'class="band"' : `fill="${COLOURS[(i - 1) % COLOURS.length]}"`;
      return [`<rect ${paint} x="${left}" y="36" width="14" height="12"/>`, text([left + 20, 47], name)];
    }),
    ...ticks.flatMap((trips) => [
      `<line class="grid" x1="${FRAME.left}" y1="${y(trips)}" x2="${right}" y2="${y(trips)}"/>`,
      text([FRAME.left - 8, Number(y(trips)) + 4], trips.toLocaleString('en-US'), ' text-anchor="end"'),
    ]),
    ...days.map((day, d) => text([x(24 * d + 12), bottom + 22], day, ' text-anchor="middle"')),
    `<polygon class="band" points="${x(0)},${y(0)} ${points(demand).join(' ')} ${x(hours)},${y(0)}"/>`,
    ...lines.map(
      ({ served }, i) =>
        `<polyline class="line" stroke="${COLOURS[i % COLOURS.length]}" points="${points(served).join(' ')}"/>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}
