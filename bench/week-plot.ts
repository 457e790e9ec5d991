/** Hours of a forecast and the observed demand; NaN if not observed. */
export type Week = {
  title: string;
  /** One value per hour, starting at a midnight. */
  forecast: Float64Array;
  lower: Float64Array;
  upper: Float64Array;
  observed: Float64Array;
  /** Labels below each day, one line per entry. */
  days: string[][];
};

const WIDTH = 900;
const HEIGHT = 380;
const FRAME = { left: 64, right: 20, top: 66, bottom: 62 };
const HOURS_PER_DAY = 24;
const LEGEND = [
  ['band', '95 % interval'],
  ['forecast', 'forecast'],
  ['observed', 'what came'],
] as const;

/**
 * The plot has its own background and colours in both modes: a page may be dark although the reader's system is light.
 */
const STYLE = `
:root { --paper: #ffffff; --ink: #1f2328; --grid: #d8dee4; --band: #a8cbe0; --forecast: #0b5c85; --observed: #c23616 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0d1117; --ink: #e6edf3; --grid: #30363d; --band: #1d4a66; --forecast: #6cc0f0; --observed: #ff9d6f }
}
text { font: 13px system-ui, sans-serif; fill: var(--ink) }
.title { font-weight: 600; font-size: 15px }
.paper { fill: var(--paper) }
.grid { stroke: var(--grid) }
.band { fill: var(--band) }
path.forecast { fill: none; stroke: var(--forecast); stroke-width: 2 }
rect.forecast { fill: var(--forecast) }
circle.observed, rect.observed { fill: var(--observed) }`;

/** A week as SVG: interval, forecast and observations per hour; readable in light and in dark mode. */
export function plotWeek({ title, forecast, lower, upper, observed, days }: Week): string {
  const hours = forecast.length;
  const [right, bottom] = [WIDTH - FRAME.right, HEIGHT - FRAME.bottom];
  const highest = Math.max(...upper, ...observed.filter((y) => !Number.isNaN(y)));
  const tick = niceStep(highest / 5);
  const top = tick * Math.ceil(highest / tick);
  const x = (hour: number) => (FRAME.left + ((right - FRAME.left) * hour) / hours).toFixed(1);
  const y = (value: number) => (bottom - ((bottom - FRAME.top) * value) / top).toFixed(1);
  // A value is drawn at the middle of its hour.
  const points = (values: Float64Array) =>
    Array.from(values, (value, hour) => `${x(hour + 0.5)},${y(value)}`);
  const ticks = Array.from({ length: Math.round(top / tick) + 1 }, (_, i) => i * tick);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>`,
    label([FRAME.left, 24], title, 'class="title"'),
    ...LEGEND.flatMap(([kind, text], i) => [
      `<rect class="${kind}" x="${FRAME.left + 130 * i}" y="36" width="14" height="12"/>`,
      label([FRAME.left + 20 + 130 * i, 47], text),
    ]),
    ...ticks.flatMap((value) => [
      `<path class="grid" d="M${FRAME.left},${y(value)}H${right}"/>`,
      label([FRAME.left - 8, Number(y(value)) + 4], value.toLocaleString('en'), 'text-anchor="end"'),
    ]),
    ...days.flatMap((lines, day) => [
      `<path class="grid" d="M${x(day * HOURS_PER_DAY)},${FRAME.top}V${bottom}"/>`,
      ...lines.map((line, i) =>
        label([Number(x((day + 0.5) * HOURS_PER_DAY)), bottom + 20 + 17 * i], line, 'text-anchor="middle"'),
      ),
    ]),
    `<path class="band" d="M${[...points(upper), ...points(lower).reverse()].join('L')}Z"/>`,
    `<path class="forecast" d="M${points(forecast).join('L')}"/>`,
    ...Array.from(observed, (value, hour) =>
      Number.isNaN(value) ? '' : `<circle class="observed" cx="${x(hour + 0.5)}" cy="${y(value)}" r="2"/>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const label = ([x, y]: [number, number], text: string, more = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(text)}</text>`;
