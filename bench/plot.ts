/** A line of a plot: medians with their observed range. */
export type Series = { name: string; points: { x: number; median: number; low: number; high: number }[] };

const WIDTH = 900;
const HEIGHT = 460;
const FRAME = { left: 70, right: 350, top: 46, bottom: 56 };
const COLOURS = [
  '#0b6e99',
  '#d1495b',
  '#3d8b37',
  '#8e5ea2',
  '#e08e0b',
  '#444444',
  '#20b2aa',
  '#a0522d',
  '#a8a000',
  '#e377c2',
];

/** An SVG with logarithmic axes, a line, a range bar per point, and a legend. Readable on white and on dark pages. */
export function plotLogLog(title: string, xLabel: string, yLabel: string, series: readonly Series[]): string {
  const points = series.flatMap((line) => line.points);
  const x = scale(
    points.map((p) => p.x),
    FRAME.left,
    WIDTH - FRAME.right,
  );
  const y = scale(
    points.flatMap((p) => [p.low, p.high]),
    HEIGHT - FRAME.bottom,
    FRAME.top,
  );
  const text = (at: [number, number], words: string, more = '') =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${more}>${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
  const bottom = HEIGHT - FRAME.bottom;
  const right = WIDTH - FRAME.right;
  const grid = [
    ...x.ticks.flatMap((tick) => [
      `<line class="grid" x1="${x.at(tick)}" y1="${FRAME.top}" x2="${x.at(tick)}" y2="${bottom}"/>`,
      text([x.at(tick), bottom + 18], label(tick), 'text-anchor="middle"'),
    ]),
    ...y.ticks.flatMap((tick) => [
      `<line class="grid" x1="${FRAME.left}" y1="${y.at(tick)}" x2="${right}" y2="${y.at(tick)}"/>`,
      text([FRAME.left - 8, y.at(tick) + 4], label(tick), 'text-anchor="end"'),
    ]),
  ];
  const lines = series.map((line, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const path = line.points.map((p) => `${x.at(p.x).toFixed(1)},${y.at(p.median).toFixed(1)}`).join(' ');
    const marks = line.points.map(
      (p) =>
        `<line x1="${x.at(p.x).toFixed(1)}" x2="${x.at(p.x).toFixed(1)}" y1="${y.at(p.low).toFixed(1)}" y2="${y.at(p.high).toFixed(1)}" stroke="${colour}"/>` +
        `<circle cx="${x.at(p.x).toFixed(1)}" cy="${y.at(p.median).toFixed(1)}" r="3.5" fill="${colour}"/>`,
    );
    const legendY = FRAME.top + 12 + i * 22;
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...marks,
      `<rect x="${right + 16}" y="${legendY - 9}" width="12" height="12" fill="${colour}"/>`,
      text([right + 34, legendY + 1], line.name),
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">`,
    `<title>${title}</title>`,
    '<style>text { font: 13px system-ui, sans-serif; fill: #222 } .grid { stroke: #ddd }</style>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text([FRAME.left, 26], title, 'font-weight="600"'),
    ...grid,
    ...lines,
    text([(FRAME.left + right) / 2, HEIGHT - 14], xLabel, 'text-anchor="middle"'),
    text(
      [18, (FRAME.top + bottom) / 2],
      yLabel,
      `text-anchor="middle" transform="rotate(-90 18 ${(FRAME.top + bottom) / 2})"`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

function scale(values: number[], from: number, to: number) {
  const low = Math.log10(Math.min(...values));
  const high = Math.log10(Math.max(...values));
  const pad = Math.max((high - low) * 0.05, 0.05);
  const at = (value: number) =>
    from + ((Math.log10(value) - low + pad) / (high - low + 2 * pad)) * (to - from);
  const ticks: number[] = [];
  for (let power = Math.floor(low) - 1; power <= Math.ceil(high); power++) {
    for (const digit of high - low > 2.5 ? [1] : [1, 2, 5]) {
      const tick = digit * 10 ** power;
      if (Math.log10(tick) >= low - pad && Math.log10(tick) <= high + pad) ticks.push(tick);
    }
  }
  return { at, ticks };
}

function label(value: number): string {
  return value >= 1 ? value.toLocaleString('en') : String(Number(value.toPrecision(2)));
}
