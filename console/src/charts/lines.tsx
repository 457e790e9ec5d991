import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { count } from '../format.ts';
import { colourOf, themeChanges } from '../theme.ts';

type Line = {
  name: string;
  values: (number | null)[];
  /** A colour of the style sheet, as `--accent`. */
  colour: string;
  isDashed?: boolean;
  isFilled?: boolean;
  /** Bars instead of a line. */
  isBars?: boolean;
  isThin?: boolean;
  /** Points at the values, for a line with gaps: one between two gaps is not seen otherwise. */
  hasPoints?: boolean;
  /** A series of another unit: on an axis of its own, at the right, in its colour and in whole numbers. */
  isRight?: boolean;
};

/** A stretch of the x axis with a name. */
export type Mark = { from: number; to: number; name: string };

type Props = {
  label: string;
  /** Positions on the x axis: one for each value. */
  xs: number[];
  writeX: (x: number) => string;
  xName: string;
  lines: Line[];
  height?: number;
  /** The lines, by their places in `lines`, between which a band is filled in the colour of the upper one. */
  band?: { upper: number; lower: number };
  marks?: Mark[];
  /** One of many pictures: without legend, with few numbers. */
  isSmall?: boolean;
  writeY?: (value: number) => string;
};

/** Steps of an axis of whole numbers. */
const WHOLE = [1, 10, 100, 1000, 10_000, 100_000].flatMap((power) => [power, 2 * power, 5 * power]);

/** Lines over a common axis. The values under the pointer are named below; a table says the same to a screen reader. */
export function Lines(props: Props) {
  const { label, xs, writeX, xName, lines, height = 220, writeY = count, band, marks, isSmall } = props;
  const host = useRef<HTMLDivElement>(null);
  const changes = themeChanges.value;
  // Before the page is painted: what is below the chart does not move when it comes.
  useLayoutEffect(() => {
    const element = host.current!;
    const step = xs.length > 1 ? xs[1] - xs[0] : 1;
    const ink = colourOf('--quiet');
    const grid = { stroke: colourOf('--line'), width: 1 };
    const right = lines.find(({ isRight }) => isRight);
    const font = `13px ${getComputedStyle(element).fontFamily}`;
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        scales: {
          // Half a step beside the first and the last: bars are whole.
          x: { time: false, range: () => [xs[0] - step / 2, xs[xs.length - 1] + step / 2] },
          y: { range: (_chart, _low, high) => [0, high * 1.08] },
          ...(right && {
            right: {
              range: (_chart: uPlot, _low: number, high: number): [number, number] => [
                0,
                Math.max(1, high) * 1.08,
              ],
            },
          }),
        },
        axes: [
          {
            stroke: ink,
            grid: { show: false },
            ticks: grid,
            font,
            values: (_c, at) => at.map(writeX),
            space: isSmall ? 104 : 120,
            incrs: [1, 2, 3, 4, 6, 12, 24, 48, 168].map((steps) => steps * step),
          },
          {
            stroke: ink,
            grid,
            ticks: { show: false },
            font,
            values: (_c, at) => at.map(writeY),
            size: isSmall ? 52 : 68,
          },
          ...(right
            ? [
                {
                  scale: 'right',
                  side: 1 as const,
                  stroke: colourOf(right.colour),
                  grid: { show: false },
                  ticks: { show: false },
                  font,
                  incrs: WHOLE,
                  size: 48,
                },
              ]
            : []),
        ],
        series: [
          { value: (_c, x) => (x == null ? '' : writeX(x)), label: xName },
          ...lines.map(({ name, colour, isDashed, isFilled, isBars, isThin, hasPoints, isRight }) => ({
            label: name,
            ...(isRight && { scale: 'right' }),
            stroke: colourOf(colour),
            width: isThin ? 0.5 : isSmall ? 1.25 : 2,
            points: hasPoints ? { show: true, size: 5 } : { show: false },
            ...(isDashed && { dash: [6, 4] }),
            ...((isFilled || isBars) && { fill: colourOf(`${colour}-faint`) }),
            ...(isBars && { paths: uPlot.paths.bars!({ size: [0.7, 48] }) }),
            // Between the values there is nothing to say, and beside the chart nothing at all.
            value: (c: uPlot, value: number | null) =>
              value != null ? writeY(value) : c.cursor.idx == null ? '' : '–',
          })),
        ],
        ...(isSmall && { legend: { show: false } }),
        ...(band && {
          // Places in the chart count from the x axis.
          bands: [
            { series: [band.upper + 1, band.lower + 1], fill: colourOf(`${lines[band.upper].colour}-faint`) },
          ],
        }),
        hooks: { drawClear: [(drawn) => drawMarks(drawn, marks ?? [], font)] },
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
      },
      [xs, ...lines.map(({ values }) => values)],
      element,
    );
    const sizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      chart.destroy();
    };
  }, [xs, lines, changes, marks]);
  return (
    <figure class="chart">
      <div ref={host} aria-hidden="true" />
      {/* A table ignores the width of 1 pixel; a block around it does not. */}
      <div class="unseen">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <td />
              {lines.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {xs.map((x, i) => (
              <tr key={x}>
                <th scope="row">{writeX(x)}</th>
                {lines.map(({ name, values }) => (
                  <td key={name}>{values[i] === null ? '–' : writeY(values[i] as number)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Shades the stretches of the x axis that have a name, and writes it above; names that would meet stand in rows. */
function drawMarks(chart: uPlot, marks: readonly Mark[], font: string): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const stretches = marks
    .map(({ from, to, name }) => ({
      name,
      left: Math.max(chart.valToPos(from, 'x', true), bbox.left),
      right: Math.min(chart.valToPos(to, 'x', true), bbox.left + bbox.width),
    }))
    .filter(({ left, right }) => left < right)
    .toSorted((a, b) => a.left - b.left);
  ctx.save();
  ctx.fillStyle = colourOf('--hover');
  for (const { left, right } of stretches) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.fillStyle = colourOf('--quiet');
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  ctx.font = font.replace(/^\d+/, (size) => String(Number(size) * ratio));
  /** The end of the last name in each row. */
  const ends: number[] = [];
  for (const { name, left } of stretches) {
    const { width } = ctx.measureText(name);
    // A name is whole, also that of a stretch at the right edge.
    const x = Math.max(bbox.left, Math.min(left + 4 * ratio, bbox.left + bbox.width - width));
    const free = ends.findIndex((end) => end < x);
    const row = free === -1 ? ends.length : free;
    ends[row] = x + width + 4 * ratio;
    // The list beside the chart has the names that find no place.
    if ((4 + 16 * (row + 1)) * ratio > bbox.height) continue;
    ctx.fillText(name, x, bbox.top + (4 + 16 * row) * ratio);
  }
  ctx.restore();
}
