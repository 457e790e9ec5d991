import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readBlocks } from '../docs/blocks.ts';
import { newTemporaryFolder } from '../helpers/folders.ts';
import { findProgram } from '../helpers/programs.ts';
import { send, startTestService } from '../helpers/service.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');

/** The request that the README shows. */
function readmeRequest(): string {
  const blocks = readBlocks(readFileSync(path.join(root, 'README.md'), 'utf8'));
  const command = blocks.find(({ language, text }) => language === 'sh' && text.includes('/api/v1/optimize'));
  return /-d '(\{.*\})'/s.exec(command!.text)![1];
}

/** Where Go's own packages put it, not all of them on the path. */
const go = findProgram('go') ?? ['/usr/local/go/bin/go'].find(existsSync);
const isJava = ['java', 'javac', 'mvn'].every(findProgram);
const without = (isThere: boolean, name: string) => (isThere ? '' : ` (SKIPPED: no ${name} was found)`);

describe.skipIf(!inject('pythonFolder'))('a client that is generated from /openapi.json', () => {
  const python = (name: string) => path.join(inject('pythonFolder'), name);
  let base: string;
  let folder: string;
  let expected: { total_cost: number; plan: object[] };
  beforeAll(async () => {
    const service = await startTestService({ sample: true });
    base = service.url;
    folder = await newTemporaryFolder('clients');
    await writeFile(path.join(folder, 'openapi.json'), (await send(`${base}/openapi.json`)).text);
    const { data } = (await send(`${base}/api/v1/optimize`, { body: readmeRequest() })).body;
    expected = { total_cost: data.total_cost, plan: data.allocation_plan };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('by openapi-python-client type-checks, and sends the request of the README', async () => {
    const own = path.join(folder, 'python');
    await mkdir(own);
    await writeFile(path.join(own, 'config.yml'), 'post_hooks: []\n');
    const files = ['--path', '../openapi.json', '--config', 'config.yml', '--output-path', 'generated'];
    const generated = await run(python('openapi-python-client'), ['generate', ...files], { cwd: own }).catch(
      fail,
    );
    // Of bodies as CSV it says that it leaves them out; of nothing else.
    const warnings = [...generated.stderr.matchAll(/^(WARNING|ERROR).*\n+(.*)/gm)].map((match) => match[2]);
    expect(new Set(warnings)).toEqual(new Set(['Unsupported content type text/csv']));
    await writeFile(path.join(own, 'request.json'), readmeRequest());
    await writeFile(
      path.join(own, 'generated', 'send.py'),
      `import json

from fleet_decision_service_client import Client
from fleet_decision_service_client.api.data import change_vehicle
from fleet_decision_service_client.api.jobs import get_job
from fleet_decision_service_client.api.optimize import optimize
from fleet_decision_service_client.api.plans import get_plan
from fleet_decision_service_client.models import (
    ErrorEnvelope, FleetVehicleEnvelope, FleetVehiclePatch, FleetVehiclePatchStatus, JobEnvelope, OptimizationRequest, OptimizationResponse,
)

client = Client(base_url=${JSON.stringify(base)})
with open("../request.json") as file:
    body = OptimizationRequest.from_dict(json.load(file))
solved = optimize.sync(client=client, body=body)
assert isinstance(solved, OptimizationResponse)
job = get_job.sync(solved.metadata.job_id, client=client)
assert isinstance(job, JobEnvelope)
result = job.data.result
assert isinstance(result, OptimizationResponse)
patch = FleetVehiclePatch(status=FleetVehiclePatchStatus.DOWNTIME)
changed = change_vehicle.sync("NYC-00001", client=client, body=patch)
assert isinstance(changed, FleetVehicleEnvelope)
missing = get_plan.sync("none", client=client)
assert isinstance(missing, ErrorEnvelope)
print(json.dumps({
    "total_cost": result.data.total_cost,
    "plan": [item.to_dict() for item in solved.data.allocation_plan],
    "status": changed.data.status,
    "codes": [error.code for error in missing.errors],
}))
`,
    );
    await run(python('mypy'), ['--strict', 'fleet_decision_service_client', 'send.py'], {
      cwd: path.join(own, 'generated'),
    }).catch(fail);
    const { stdout } = await run(python('python'), ['send.py'], { cwd: path.join(own, 'generated') }).catch(
      fail,
    );
    expect(JSON.parse(stdout)).toEqual({ ...expected, status: 'downtime', codes: ['RESOURCE_NOT_FOUND'] });
  });

  /** A client by openapi-generator, a program in Java that comes with Python's packages. @returns its folder */
  async function generate(language: string): Promise<string> {
    const only = 'models,apis,supportingFiles,modelDocs=false,apiDocs=false,modelTests=false,apiTests=false';
    const files = ['-i', 'openapi.json', '-g', language, '-o', language, '--global-property', only];
    await runIn(folder, python('openapi-generator-cli'), 'generate', ...files).catch(fail);
    return path.join(folder, language);
  }

  test.skipIf(!go || !isJava)(
    `by openapi-generator compiles in Go${without(go !== undefined, 'Go')}${without(isJava, 'Java')}`,
    async ({ skip }) => {
      const own = await generate('go');
      await runIn(own, go!, 'mod', 'download').catch((error: Error) => skip(`no packages: ${error.message}`));
      await runIn(own, go!, 'build', './...').catch(fail);
    },
  );

  test.skipIf(!isJava)(
    `by openapi-generator compiles in Java${without(isJava, 'Java with Maven')}`,
    async ({ skip }) => {
      const own = await generate('java');
      const classpath = 'dependency:build-classpath';
      await runIn(own, 'mvn', '-q', '-B', classpath, '-Dmdep.outputFile=classpath').catch((error: Error) =>
        skip(`no packages: ${error.message}`),
      );
      await writeFile(path.join(own, 'sources'), globSync('src/main/**/*.java', { cwd: own }).join('\n'));
      const packages = await readFile(path.join(own, 'classpath'), 'utf8');
      await runIn(own, 'javac', '-proc:none', '-cp', packages, '-d', 'classes', '@sources').catch(fail);
    },
  );
});

function runIn(cwd: string, program: string, ...args: string[]) {
  // Half of what such a short run of Java costs is the compiling of its own code.
  const env = { ...process.env, JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1' };
  return run(program, args, { cwd, env, maxBuffer: 2 ** 26 });
}

/** Tells what a program printed; its exit status alone says nothing. */
function fail(error: Error & { stdout?: string; stderr?: string }): never {
  throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
}
