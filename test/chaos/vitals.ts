import { readdirSync, readFileSync } from 'node:fs';
import type { Finding } from './check.ts';
import type { Fleet, FleetMember } from './fleet.ts';

/** Resident memory (MiB), threads and open files of a process, as Linux counts them. */
type Vitals = { rss: number; threads: number; files: number };

/** The resources of the spared processes over time. */
export type VitalsWatch = {
  sample(): void;
  /** One line per process; growth beyond the limits is a finding. */
  report(findings: Finding[]): string[];
};

/**
 * Garbage waits for collection and caches fill, so the limits are wide. A leak with every reconnect exceeds them within
 * minutes.
 */
const MAX_GROWTH = 1.5;
const MAX_GROWTH_MIB = 100;
const MAX_NEW_THREADS = 4;
const MAX_NEW_FILES = 60;
/** Fewer samples than this do not show growth. */
const MIN_SAMPLES = 40;

export function watchVitals(fleet: Fleet): VitalsWatch {
  const spared = fleet.members.filter((member) => member.isSpared);
  const samples = new Map<FleetMember, Vitals[]>(spared.map((member) => [member, []]));
  return {
    sample() {
      for (const member of spared) {
        const vitals = member.isSpared ? read(member.pid) : undefined;
        if (vitals) samples.get(member)?.push(vitals);
      }
    },
    report(findings) {
      return spared.map((member) => {
        const all = samples.get(member) ?? [];
        const last = all.at(-1);
        if (!last || all.length === 0) return `${member.name}: not known on this system`;
        // The first fifth is warm-up.
        const early = all.slice(all.length / 5, (2 * all.length) / 5);
        const late = all.slice((4 * all.length) / 5);
        const [before, after] = [early, late].map((part) => median(part.map((v) => v.rss)));
        const peak = Math.max(...all.map((v) => v.rss));
        const grown = all.length >= MIN_SAMPLES && after > before * MAX_GROWTH + MAX_GROWTH_MIB;
        const start = all[0];
        const line =
          `${member.name}: ${before} MiB early, ${after} MiB late, peak ${peak} MiB; ` +
          `threads ${start.threads} → ${last.threads}, open files ${start.files} → ${last.files}`;
        if (
          grown ||
          last.threads > start.threads + MAX_NEW_THREADS ||
          last.files > start.files + MAX_NEW_FILES
        ) {
          findings.push({ message: `holds on to more and more: ${line}`, jobId: undefined });
        }
        return line;
      });
    },
  };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function read(pid: number | undefined): Vitals | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return {
      rss: Math.round(field('VmRSS') / 1024),
      threads: field('Threads'),
      files: readdirSync(`/proc/${pid}/fd`).length,
    };
  } catch {
    return undefined;
  }
}
