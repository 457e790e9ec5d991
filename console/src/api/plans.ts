import { get, getCsv } from './client.ts';
import type { PlanAnswer } from './decisions.ts';

/** A stored plan, and the job that made it. */
export function readPlan(planId: string, signal?: AbortSignal): Promise<PlanAnswer & { job_id: string }> {
  return get(`/api/v1/plans/${encodeURIComponent(planId)}`, signal);
}

/** Saves the work list of a plan as CSV, a line per pair of locations with the ids of the vehicles. */
export async function downloadWorkList(planId: string): Promise<void> {
  const path = `/api/v1/plans/${encodeURIComponent(planId)}?part=moves`;
  saveAs(`${planId}-moves.csv`, await getCsv(path));
}

/** Saves a file where the browser saves downloads. */
export function saveAs(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
