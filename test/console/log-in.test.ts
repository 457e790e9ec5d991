import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { expectAccessible, hasBrowser, inAddress, startConsole } from '../helpers/console.ts';
import { storeKey } from '../helpers/keys.ts';

const JWT = {
  JWT_SECRET: 'a secret of more than thirty-two characters',
  JWT_ISSUER: 'https://issuer.example',
  JWT_AUDIENCE: 'fleet',
};

test.skipIf(!hasBrowser)(
  'with authentication the console asks for a key or a token, plans with it, follows over the WebSocket, and forgets it on request',
  async () => {
    const fleet = await startConsole({ overrides: { AUTH: 'keys,jwt', ...JWT } });
    const { key } = await storeKey(fleet.db, 'planner');
    const { page, complaints, requested } = await fleet.open('');
    const question = page.getByRole('heading', { name: 'This service wants to know who you are.' });
    await question.waitFor();
    await expectAccessible(page);
    const field = page.getByLabel('API key or token');
    await field.fill('fds_unknown');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('the API key is unknown or revoked; ask an operator for another one').waitFor();

    await field.fill(` ${key} `);
    await page.getByRole('button', { name: 'Log in' }).click();
    const sockets: string[] = [];
    page.on('websocket', (socket) => {
      sockets.push(socket.url());
      socket.on('framereceived', () => sockets.push('frame'));
    });
    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.getByRole('heading', { level: 1, name: /372 vehicles/ }).waitFor();
    expect(sockets[0]).toMatch(/\/ws\/optimization$/);
    expect(sockets).toContain('frame');

    // Another tab is another reader.
    const other = await fleet.open('/jobs');
    await other.page.getByRole('heading', { name: 'This service wants to know who you are.' }).waitFor();
    await other.page.close();

    const decision = (await inAddress(page, 'decision'))!;
    expect(decision).toBeTruthy();
    await page.getByRole('button', { name: 'Log out' }).click();
    await question.waitFor();
    requested.length = 0;
    const { JWT_ISSUER: iss, JWT_AUDIENCE: aud } = JWT;
    const token = await new SignJWT({ iss, aud, sub: 'ada', role: 'planner' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode(JWT.JWT_SECRET));
    await field.fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    // This planner is another one, who neither sees nor asks for the decision of the first.
    await page.getByText('Nothing is planned yet.').waitFor();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    await question.waitFor({ state: 'detached' });
    expect(requested.filter((asked) => asked.includes(decision))).toEqual([]);
    // The browser itself reports each refused request; nothing else is wrong.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
    await page.close();
  },
);
