import { beforeAll, describe, expect, test } from 'vitest';
import { send, startTestService } from '../helpers/service.ts';

describe('the ground of the console’s map', () => {
  let url: string;
  let plain: string;
  beforeAll(async () => {
    const service = await startTestService({ workers: 0 });
    plain = service.url!;
    const api = await service.startApi({ CONSOLE_MAP_URL: 'https://tiles.example:8443/{z}/{x}/{y}.png' });
    url = api.url;
  });
  const policyOf = async (base: string) =>
    (await fetch(`${base}/console/settings.json`)).headers.get('content-security-policy')!;

  test('is named by a setting, whose host is the only one that the content policy adds', async () => {
    const { body } = await send(`${url}/console/settings.json`);
    expect(body).toEqual({ map_url: 'https://tiles.example:8443/{z}/{x}/{y}.png' });
    const policy = await policyOf(url);
    expect(policy).toContain("connect-src 'self' https://tiles.example:8443;");
    expect(policy).toContain("img-src 'self' data: blob: https://tiles.example:8443;");
    expect(policy.replaceAll(' https://tiles.example:8443', '')).toBe(await policyOf(plain));
  });

  test('is plain without the setting: nothing comes from elsewhere', async () => {
    expect((await send(`${plain}/console/settings.json`)).body).toEqual({ map_url: null });
    expect(await policyOf(plain)).not.toMatch(/https?:/);
  });
});

test('paths that leave the folder of the console are not found, whether a file is there or not', async () => {
  const { url } = await startTestService({ workers: 0 });
  const up = '..%2f';
  const answers = await Promise.all(
    [`${up.repeat(3)}package.json`, `${up.repeat(3)}none.json`, `${up}index.html`].map((name) =>
      send(`${url}/console/assets/${name}`),
    ),
  );
  expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual(
    Array(3).fill([404, 'RESOURCE_NOT_FOUND']),
  );
});
