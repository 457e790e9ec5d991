import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as scaling from '@kubernetes-models/keda/keda.sh/v1alpha1';
import * as apps from 'kubernetes-models/apps/v1';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { isPublicAddress, openAddressList } from '../../src/addresses.ts';
import { loadConfig, SettingsSchema } from '../../src/config.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { findProgram } from '../helpers/programs.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const KUBERNETES = path.join(ROOT, 'deploy/kubernetes');

/** The published schemas, by `apiVersion`, and where their types are. */
const MODELS: Record<string, { types: string; models: object }> = {
  v1: { types: 'kubernetes-models/v1', models: core },
  'apps/v1': { types: 'kubernetes-models/apps/v1', models: apps },
  'batch/v1': { types: 'kubernetes-models/batch/v1', models: batch },
  'policy/v1': { types: 'kubernetes-models/policy/v1', models: policy },
  'networking.k8s.io/v1': { types: 'kubernetes-models/networking.k8s.io/v1', models: networking },
  'keda.sh/v1alpha1': { types: '@kubernetes-models/keda/keda.sh/v1alpha1', models: scaling },
};

// biome-ignore lint/suspicious/noExplicitAny: what the schemas say is tested below
type Manifest = { apiVersion: string; kind: string; metadata: { name: string }; spec: any; data?: any };

const readManifests = (text: string): Manifest[] => parseAllDocuments(text).map((one) => one.toJS());
const manifests = globSync('**/*.yaml', { cwd: KUBERNETES })
  .filter((file) => !file.endsWith('kustomization.yaml'))
  .flatMap((file) => readManifests(readFileSync(path.join(KUBERNETES, file), 'utf8')));
const find = (kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name)!;
const podsOf = ['Deployment', 'Job'].flatMap((kind) => manifests.filter((one) => one.kind === kind));

/** The fault of a manifest by the published schema of its kind; undefined: none. */
function faultOf(manifest: Manifest): string | undefined {
  const { models } = MODELS[manifest.apiVersion]!;
  const Model = (models as Record<string, new (data: object) => { validate(): void }>)[manifest.kind]!;
  try {
    new Model(structuredClone(manifest)).validate();
    return undefined;
  } catch (error) {
    return `${manifest.kind} ${manifest.metadata.name}: ${(error as Error).message}`;
  }
}

describe('deploy/kubernetes', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await newTemporaryFolder('manifests');
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    return () => removeFolder(folder);
  });

  test('fits the published schemas', () => {
    expect(manifests.length).toBeGreaterThan(10);
    expect(manifests.flatMap((one) => faultOf(one) ?? [])).toEqual([]);
    const { replicas: _, ...spec } = find('Deployment', 'fleet-api').spec;
    expect(faultOf({ ...find('Deployment', 'fleet-api'), spec: { ...spec, replicas: 'two' } })).toContain(
      'integer',
    );
  });

  test('has no field that its kind does not know, which schemas allow and a cluster ignores', () => {
    const check = (list: Manifest[]) => {
      const text = list.map(
        (one, i) =>
          `import type { I${one.kind} as T${i} } from '${MODELS[one.apiVersion]!.types}';\n` +
          `export const m${i}: T${i} = ${JSON.stringify(one)};\n`,
      );
      writeFileSync(path.join(folder, 'manifests.ts'), text.join(''));
      const options = [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--module',
        'nodenext',
        '--target',
        'esnext',
      ];
      const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
      const { stdout } = spawnSync(process.execPath, [tsc, '--ignoreConfig', ...options, 'manifests.ts'], {
        cwd: folder,
        encoding: 'utf8',
      });
      return stdout.replaceAll(/^.*?: error /gm, '');
    };
    expect(check(manifests)).toBe('');
    const wrong = structuredClone(find('Deployment', 'fleet-api'));
    wrong.spec.template.spec.containers[0].liveness = {};
    expect(check([wrong])).toContain('liveness');
  });

  test('runs every process as nobody special: no root, no writable disk, no rights, limits on memory', () => {
    expect(podsOf.map((one) => one.metadata.name).sort()).toEqual([
      'fleet-api',
      'fleet-migrate',
      'fleet-worker',
    ]);
    for (const { spec } of podsOf) {
      const pod = spec.template.spec;
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits.memory).toBeDefined();
        expect(existsSync(path.join(ROOT, container.command[1]))).toBe(true);
      }
    }
  });

  test('sets only settings that exist, with values that they allow, and no password', () => {
    const { data } = find('ConfigMap', 'fleet-settings');
    expect(Object.keys(data).filter((name) => !(name in SettingsSchema.properties))).toEqual([]);
    const { DATABASE_PASSWORD_FILE: file, ...others } = data;
    expect(() => loadConfig(others)).not.toThrow();
    expect(new URL(data.DATABASE_URL).password).toBe('');
    for (const { spec } of podsOf) {
      const [{ volumeMounts }] = spec.template.spec.containers;
      expect(volumeMounts[0].mountPath).toBe(path.dirname(file));
    }
  });

  test('probes and opens the ports that the processes listen on, and protects each from being drained at once', () => {
    const { data } = find('ConfigMap', 'fleet-settings');
    const ports: Record<string, number> = { 'fleet-api': 8000, 'fleet-worker': Number(data.WORKER_PORT) };
    for (const [name, port] of Object.entries(ports)) {
      const { template, selector } = find('Deployment', name).spec;
      const [container] = template.spec.containers;
      expect(container.ports).toEqual([{ name: 'http', containerPort: port }]);
      expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' });
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      expect(find('PodDisruptionBudget', name).spec.selector).toEqual(selector);
      const entrance = find('NetworkPolicy', name).spec;
      expect(entrance.podSelector).toEqual(selector);
      expect(entrance.ingress[0].ports).toEqual([{ port, protocol: 'TCP' }]);
    }
    expect(find('ScaledObject', 'fleet-worker').spec.scaleTargetRef).toEqual({ name: 'fleet-worker' });
  });

  test('lets workers send webhooks to public addresses by HTTPS, and nothing into the networks around them', () => {
    const { podSelector, egress } = find('NetworkPolicy', 'fleet-internet').spec;
    expect(podSelector.matchExpressions[0].values).toContain('fleet-worker');
    const [{ ports, to }] = egress;
    expect(ports).toEqual([{ port: 443, protocol: 'TCP' }]);
    const open = to.map(({ ipBlock }: { ipBlock: { cidr: string; except?: string[] } }) => {
      const [isIn, isOut] = [ipBlock.cidr, (ipBlock.except ?? []).join()].map(openAddressList);
      return (address: string) => isIn!(address) && !isOut!(address);
    });
    const isOpen = (address: string) => open.some((each: (address: string) => boolean) => each(address));
    for (const address of ['93.184.215.14', '8.8.8.8', '2606:2800:21f::1']) {
      expect([address, isOpen(address), isPublicAddress(address)]).toEqual([address, true, true]);
    }
    const inside = ['10.0.0.1', '127.0.0.1', '169.254.169.254', '172.20.0.1', '192.168.1.1', '100.64.0.1'];
    for (const address of [...inside, 'fd00::1', 'fe80::1', '::1']) {
      expect([address, isOpen(address)]).toEqual([address, false]);
    }
  });

  test('lets only gateway and Prometheus call, and processes reach only the databases of their namespace', () => {
    const namespaces = (name: string) =>
      find('NetworkPolicy', name).spec.ingress.map(({ from }: { from: object[] }) => from);
    const named = (name: string) => ({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
    });
    expect(namespaces('fleet-api')).toEqual([[named('gateway'), named('monitoring')]]);
    expect(namespaces('fleet-worker')).toEqual([[named('monitoring')]]);

    type Rule = { to?: object[]; ports: { port: number }[] };
    const rules: Rule[] = manifests
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .flatMap(({ spec }) => spec.egress ?? []);
    const leading = (port: number) => rules.filter(({ ports }) => ports.some((one) => one.port === port));
    const { data } = find('ConfigMap', 'fleet-settings');
    const database = (name: string) => ({ podSelector: { matchLabels: { 'app.kubernetes.io/name': name } } });
    expect(leading(Number(new URL(data.DATABASE_URL).port)).map(({ to }) => to)).toEqual([
      [database('postgresql')],
    ]);
    expect(leading(Number(new URL(data.REDIS_URL).port)).map(({ to }) => to)).toEqual([[database('redis')]]);
    // A rule without `to` leads anywhere.
    expect(rules.filter(({ to }) => !to?.length)).toEqual([]);
  });

  test('has room in /tmp of the API for two of the largest bodies, which are kept there while they arrive', () => {
    const { volumes } = find('Deployment', 'fleet-api').spec.template.spec;
    const { emptyDir } = volumes.find(({ name }: { name: string }) => name === 'tmp');
    const [, gibibytes] = /^(\d+)Gi$/.exec(emptyDir.sizeLimit) ?? [];
    const { HTTP_BODY_LIMIT_BYTES, HTTP_TRAVEL_LIMIT_BYTES } = loadConfig({});
    expect(Number(gibibytes) * 1024 ** 3).toBeGreaterThanOrEqual(
      2 * Math.max(HTTP_BODY_LIMIT_BYTES, HTTP_TRAVEL_LIMIT_BYTES),
    );
    // In memory it would count against the limit of the container.
    expect(emptyDir.medium).toBeUndefined();
  });

  const kubectl = findProgram('kubectl');
  if (!kubectl)
    console.warn('kubectl is not installed: that Kustomize puts the manifests together is NOT tested');
  test.skipIf(!kubectl)('is put together by Kustomize, with and without KEDA', () => {
    const render = (name: string) => {
      const { status, stdout, stderr } = spawnSync(kubectl!, ['kustomize', path.join(KUBERNETES, name)], {
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      return readManifests(stdout);
    };
    const base = render('base');
    const scaled = render('keda');
    expect([...base, ...scaled].flatMap((one) => faultOf(one) ?? [])).toEqual([]);
    expect(scaled).toHaveLength(base.length + 1);
    const workers = (list: Manifest[]) =>
      list.find((one) => one.kind === 'Deployment' && one.metadata.name === 'fleet-worker')!.spec;
    expect(workers(base).replicas).toBe(2);
    expect(workers(scaled).replicas).toBeUndefined();
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(workers(base).template.spec.containers[0].image).toBe(`fleet-decision-service:${version}`);
  });
});

describe('deploy/systemd', () => {
  const folder = path.join(ROOT, 'deploy/systemd');
  const units = globSync('*.service', { cwd: folder });

  test('names scripts and settings that exist, and needs no password in them', () => {
    expect(units).toHaveLength(3);
    for (const unit of units) {
      const text = readFileSync(path.join(folder, unit), 'utf8');
      const [, script] = /^ExecStart=\/usr\/bin\/env node (\S+)$/m.exec(text)!;
      expect(existsSync(path.join(ROOT, script!)), script).toBe(true);
    }
    const lines = readFileSync(path.join(folder, 'settings.example'), 'utf8').match(/^[^#\n].*$/gm)!;
    const settings = Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2)));
    expect(Object.keys(settings).filter((name) => !(name in SettingsSchema.properties))).toEqual([]);
    expect(() => loadConfig(settings)).not.toThrow();
  });

  test('limits memory and tasks of each process, to the memory that its pod has', () => {
    for (const { metadata, spec } of podsOf) {
      const unit = units.find((file) => file.startsWith(metadata.name))!;
      const text = readFileSync(path.join(folder, unit), 'utf8');
      const [{ resources }] = spec.template.spec.containers;
      expect([unit, `${/^MemoryMax=(.*)$/m.exec(text)?.[1]}i`]).toEqual([unit, resources.limits.memory]);
      expect([unit, /^TasksMax=(.*)$/m.exec(text)?.[1]]).toEqual([unit, '256']);
    }
  });

  const analyze = findProgram('systemd-analyze');
  if (!analyze)
    console.warn('systemd-analyze is not installed: the units of deploy/systemd are NOT verified');
  test.skipIf(!analyze)('is accepted by systemd without a warning', () => {
    const { stdout, stderr } = spawnSync(analyze!, ['verify', '--man=no', ...units], {
      cwd: folder,
      encoding: 'utf8',
    });
    // Of our units only: those of the machine may be wrong.
    const ours = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('fleet-'));
    expect(ours).toEqual([]);
  });
  test.skipIf(!analyze)('lets a process that was taken over do little, by the count of systemd', () => {
    // Exposure by its marks is from 0 to 10, here in tenths; a unit without any protection has 9.6.
    const limit = ['security', '--offline=true', '--threshold=20', '--no-pager'];
    for (const unit of units) {
      const { status, stdout } = spawnSync(analyze!, [...limit, path.join(folder, unit)], {
        encoding: 'utf8',
      });
      expect([unit, status], stdout).toEqual([unit, 0]);
    }
  });
});

describe('.github/workflows', () => {
  const read = (file: string) => parse(readFileSync(path.join(ROOT, '.github/workflows', file), 'utf8'));
  type Step = { name?: string; run?: string };
  const steps: Step[] = read('release.yml').jobs.image.steps;
  const runOf = (part: string) => steps.find(({ name, run }) => name?.includes(part) && run)!.run!;

  /** Runs a step in a folder that has a version and a changelog. */
  async function tryStep(script: string, tag: string): Promise<{ status: number | null; notes: string }> {
    const folder = await newTemporaryFolder('release');
    try {
      writeFileSync(path.join(folder, 'package.json'), '{"version":"1.2.3"}');
      const changes =
        '# Changelog\n\n## 1.3.0, not released yet\n\n- c\n\n## 1.2.3, 2026-12-01\n\n- b\n\n## 1.2.2, 2026-11-01\n\n- a\n';
      writeFileSync(path.join(folder, 'CHANGELOG.md'), changes);
      const jq = 'jq() { node -p "JSON.parse(fs.readFileSync(\'$3\'))$2"; }; gh() { :; };';
      const { status } = spawnSync('bash', ['-ec', `${jq}\n${script}`], {
        cwd: folder,
        env: { PATH: process.env.PATH, GITHUB_REF_NAME: tag },
      });
      const notes = path.join(folder, 'notes.md');
      return { status, notes: existsSync(notes) ? readFileSync(notes, 'utf8').trim() : '' };
    } finally {
      await removeFolder(folder);
    }
  }

  test('push an image with what it contains and how it was built', () => {
    type Push = { uses?: string; with?: Record<string, unknown> };
    const push = (steps as Push[]).find(({ uses }) => uses?.startsWith('docker/build-push-action'));
    expect(push?.with).toMatchObject({ push: true, sbom: true, provenance: 'mode=max' });
  });

  test('release only the version of package.json, once the changelog has its day', async () => {
    const check = runOf('the changelog has it');
    expect((await tryStep(check, 'v1.2.3')).status).toBe(0);
    expect((await tryStep(check, 'v1.2.2')).status).not.toBe(0);
    expect((await tryStep(check.replace('1.2.3', '1.3.0'), 'v1.3.0')).status).not.toBe(0);
  });

  test('publish the part of the changelog that is about the version', async () => {
    expect(await tryStep(runOf('part of the changelog'), 'v1.2.3')).toEqual({ status: 0, notes: '- b' });
  });

  test('run what continuous integration runs everywhere', () => {
    const runs = (read('ci.yml').jobs.test.steps as Step[]).map(({ run }) => run);
    expect(runs).toContain('.ci/run');
    expect(existsSync(path.join(ROOT, '.ci/run'))).toBe(true);
  });
});
