import type { Ahead, DueMove } from './outlook.ts';

const cell = (value: string | number) => {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The moves as CSV: when each is due, in UTC, and empty for those that are due before the first step. */
export function csvOf({ steps, nameOf }: Ahead, moves: readonly DueMove[]): string {
  const rows = moves.map(({ due, from, to, vehicles }) => [
    due === 0 ? 'now' : (steps[due - 1].starts_at ?? ''),
    from,
    nameOf(from),
    to,
    nameOf(to),
    Number(vehicles.toFixed(6)),
  ]);
  const header = ['due_at', 'from_location_id', 'from', 'to_location_id', 'to', 'vehicles'];
  return `${[header, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}
