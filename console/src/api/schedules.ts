import { get, getAll, send } from './client.ts';
import type { Schedule, ScheduleSummary } from './types.ts';

const MAX_SCHEDULES = 5000;
const pathOf = (id: string) => `/api/v1/schedules/${encodeURIComponent(id)}`;

export function listSchedules(signal: AbortSignal): Promise<ScheduleSummary[]> {
  return getAll<ScheduleSummary>('/api/v1/schedules', 'schedules', MAX_SCHEDULES, signal);
}

/** A schedule with its newest occurrences. */
export function readSchedule(id: string, signal: AbortSignal): Promise<Schedule> {
  return get<Schedule>(pathOf(id), signal);
}

export async function changeSchedule(id: string, body: { paused: boolean }): Promise<void> {
  await send('PATCH', pathOf(id), { body });
}

/** Its jobs stay. */
export async function deleteSchedule(id: string): Promise<void> {
  await send('DELETE', pathOf(id));
}
