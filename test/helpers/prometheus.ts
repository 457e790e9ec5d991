import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, vi } from 'vitest';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { atEnd } from './at-end.ts';

type Vector = { metric: Record<string, string>; value: [time: number, value: string] }[];

/**
 * A real Prometheus that scrapes every two seconds and evaluates every second. It ends with the test file.
 * @param targets addresses (`127.0.0.1:9100`) by the name of their job
 * @param rules text of the rule file
 */
export async function startPrometheus(program: string, targets: Record<string, string[]>, rules: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'fleet-prometheus-'));
  await writeFile(path.join(folder, 'rules.yml'), rules);
  // JSON is YAML.
  const config = {
    global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: Object.entries(targets).map(([job_name, list]) => ({
      job_name,
      static_configs: [{ targets: list }],
    })),
  };
  await writeFile(path.join(folder, 'prometheus.yml'), JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const child: ChildProcess = spawn(
    program,
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  atEnd(async () => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  });
  const get = async (url: string) => {
    const response = await fetch(`http://${address}${url}`);
    const { data, error } = (await response.json()) as { data: never; error?: string };
    if (error !== undefined) throw new Error(`${url}: ${error}`);
    return data;
  };
  // Until it answers: before that, the connection is refused, or the status is 503.
  const isReady = async () => expect((await fetch(`http://${address}/-/ready`)).status).toBe(200);
  // As long as a poll: `expect.poll` is for tests alone.
  await vi.waitFor(isReady, { timeout: 280_000, interval: 200 });
  return {
    /** The values of an instant query. @throws Error if Prometheus refuses it */
    async query(text: string): Promise<Vector> {
      const { result } = (await get(`/api/v1/query?query=${encodeURIComponent(text)}`)) as { result: Vector };
      return result;
    },
    /** The names of the alerts that fire. */
    async readFiring(): Promise<string[]> {
      const { alerts } = (await get('/api/v1/alerts')) as {
        alerts: { state: string; labels: Record<string, string> }[];
      };
      const firing = alerts.filter(({ state }) => state === 'firing');
      return [...new Set(firing.map(({ labels }) => labels.alertname))].sort();
    },
    /** Faults of rules, as Prometheus evaluates them. */
    async readRuleFaults(): Promise<string[]> {
      const { groups } = (await get('/api/v1/rules')) as {
        groups: { rules: { name: string; health: string; lastError?: string }[] }[];
      };
      const faults = groups.flatMap(({ rules }) => rules.filter(({ health }) => health !== 'ok'));
      return faults.map(({ name, health, lastError }) => `${name}: ${health} ${lastError ?? ''}`);
    },
  };
}
