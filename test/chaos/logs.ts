import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const MAX_LINES = 80;

/** How often workers logged that they stored the result of a job. */
export function endingsPerJob(folder: string): Map<string, number> {
  const endings = new Map<string, number>();
  for (const text of linesOf(folder, 'worker-*.log', '"job ended"')) {
    const { job_id: jobId = '' } = parse(text.line);
    endings.set(jobId, (endings.get(jobId) ?? 0) + 1);
  }
  return endings;
}

/** Requests whose API logged that it stored their job. */
export function requestsStored(folder: string): Set<string> {
  return new Set(
    linesOf(folder, 'api-*.log', '"job stored"').map(({ line }) => parse(line).request_id ?? ''),
  );
}

/** All log lines about a job or a request, in order of time. */
export function traceOf(folder: string, ids: readonly string[]): string[] {
  return ids
    .flatMap((id) => linesOf(folder, '*.log', `"${id}"`))
    .map(({ file, line }) => ({ file, line, time: timeOf(line) }))
    .sort((a, b) => a.time - b.time)
    .map(({ file, line }) => `${file}: ${line}`)
    .filter((line, i, all) => line !== all[i - 1])
    .slice(0, MAX_LINES);
}

/** Warnings and errors of the service during the storm, counted by message. */
export function complaintsOf(folder: string): Map<string, number> {
  const complaints = new Map<string, number>();
  for (const { line } of linesOf(folder, '*.log', '')) {
    const { level, msg, err } = parse(line);
    if (level !== undefined && level < 40) continue;
    const what = level === undefined ? `(no JSON) ${line}` : `${msg}: ${err?.type} ${err?.message}`;
    const key = what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#').slice(0, 160);
    complaints.set(key, (complaints.get(key) ?? 0) + 1);
  }
  return complaints;
}

function linesOf(folder: string, pattern: string, having: string): { file: string; line: string }[] {
  return globSync(pattern, { cwd: folder }).flatMap((file) =>
    readFileSync(path.join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && line.includes(having))
      .map((line) => ({ file, line })),
  );
}

type Line = Partial<{
  level: number;
  time: number;
  msg: string;
  job_id: string;
  request_id: string;
  err: { type: string; message: string };
}>;

/** A line that is not JSON (a crash) has no fields. */
function parse(line: string): Line {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

function timeOf(line: string): number {
  return parse(line).time ?? 0;
}
