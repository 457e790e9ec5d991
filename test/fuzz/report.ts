import type { FuzzReport } from './run.ts';

/** The report as Markdown, in the form that the documentation shows. */
export function reportText({ operations, findings, cases, window, memory }: FuzzReport): string {
  const rows = [...operations].map(([name, { statuses, longestMs }]) => {
    const count = (least: number, most: number) =>
      [...statuses].reduce((sum, [status, n]) => (status >= least && status <= most ? sum + n : sum), 0);
    const refused = [...statuses.keys()].filter((status) => status >= 400 && status < 500).sort();
    const of4xx = refused.map((status) => `${status}: ${statuses.get(status)}`).join(', ');
    const of5xx = count(500, 599) - (statuses.get(503) ?? 0);
    return [
      `\`${name}\``,
      count(0, 999),
      count(200, 399),
      of4xx,
      statuses.get(503) ?? 0,
      of5xx,
      Math.round(longestMs),
    ];
  });
  const total = (column: number) => rows.reduce((sum, row) => sum + Number(row[column]), 0);
  rows.push([
    'all',
    total(1),
    total(2),
    '',
    total(4),
    total(5),
    Math.max(...rows.map((row) => Number(row[6]))),
  ]);
  const lines = [
    ...table(['operation', 'requests', '2xx', '4xx', '503', 'other 5xx', 'longest, ms'], rows),
    '',
    ...table(
      ['while these were served', 'asked', 'median, ms', '99 %, ms', 'longest, ms'],
      Object.entries({ '`GET /` (the event loop)': window.loop, '`GET /health`': window.health }).map(
        ([name, { count, ...times }]) => [
          name,
          count,
          ...[times.median, times.p99, times.longest].map(round),
        ],
      ),
    ),
    '',
    ...table(
      ['process', 'memory at the start, MB', 'peak', 'at rest again'],
      memory.map(({ name, rest, peak, now }) => [name, rest, peak, now]),
    ),
    '',
    ...table(
      ['case', 'outcome', 'seen'],
      cases.map(({ name, outcome, seen }) => [
        name,
        outcome,
        seen.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 200),
      ]),
    ),
    '',
    `${findings.length} answers were not as promised.`,
  ];
  return lines.join('\n');
}

function table(head: string[], rows: (string | number)[][]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

const round = (ms: number) => Math.round(ms * 10) / 10;
