import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../src/config.ts';
import { DEFAULT_RISK_SETTINGS } from '../src/core/risk.ts';
import { riskSettings } from '../src/inputs/settings.ts';
import { newTemporaryFolder, removeFolder } from './helpers/folders.ts';

describe('settings', () => {
  test('have the defaults of the specification', () => {
    expect(loadConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8000,
      OPTIMIZATION_MAX_DISTANCE: 100,
      OPTIMIZATION_CAPACITY_PER_VEHICLE: 1,
      OPTIMIZATION_MIN_SERVICE_LEVEL: 0.95,
      OPTIMIZATION_MAX_REBALANCING_COST: 10000,
      OPTIMIZATION_TIME_LIMIT_SECONDS: 60,
      OPTIMIZATION_OPTIMALITY_GAP: 0.01,
    });
  });

  test('that are invalid are all named with their value, and an empty one counts as unset', () => {
    const read = () =>
      loadConfig({
        PORT: '99999',
        HOST: '',
        WORKERS: 'many',
        LOG_LEVEL: 'loud',
        FORECASTING_TIME_ZONE: 'Mars/Base',
      });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/PORT: "99999"[\s\S]*WORKERS: "many"[\s\S]*FORECASTING_TIME_ZONE: "Mars\/Base"/);
    expect(loadConfig({ PORT: '' }).PORT).toBe(8000);
  });

  test('that list addresses are checked entry by entry', () => {
    const read = () =>
      loadConfig({ HTTP_TRUSTED_PROXIES: '10.0.0.0/8, proxy', PRIORITY_HIGH_FOR: '10.0.0.7,somebody' });
    expect(read).toThrow(
      /HTTP_TRUSTED_PROXIES: "proxy" is neither an address nor a network[\s\S]*PRIORITY_HIGH_FOR: "somebody"/,
    );
    expect(loadConfig({ PRIORITY_HIGH_FOR: 'nobody' }).PRIORITY_HIGH_FOR).toBe('nobody');
  });

  test.each([
    [
      'age=0.5/730 utilization=0.4/0.5..1 maintenance=0.3/42 medium=0.4 high=0.7',
      /0\.5 \+ 0\.4 \+ 0\.3 above the maximum 1/,
    ],
    ['age=0.3/0 utilization=0.4/0.5..1 maintenance=0.3/42 medium=0.4 high=0.7', /days below the minimum 1/],
    [
      'age=0.3/730 utilization=0.4/1..0.5 maintenance=0.3/42 medium=0.4 high=0.7',
      /utilization 1\.\.0\.5; it must rise/,
    ],
    ['age=0.3/730 utilization=0.4/0.5..1 maintenance=0.3/42 medium=0.8 high=0.7', /medium=0\.8 high=0\.7/],
    ['age=0.3', /is not of the form of the default/],
  ])('of risk that cannot be are refused: %s', (text, fault) => {
    expect(() => loadConfig({ RISK_SCORING: text })).toThrow(fault);
  });

  test('of risk are read with any space between them, and weights that add up to 1 in decimals are', () => {
    const text = 'age=0.1/365  utilization=0.2/0..0.5\nmaintenance=0.7/30 medium=0.2 high=1';
    expect(riskSettings(loadConfig({ RISK_SCORING: text }))).toEqual({
      weights: { age: 0.1, utilization: 0.2, maintenance: 0.7 },
      ...{ ageScaleDays: 365, utilizationFloor: 0, utilizationRange: 0.5, maintenanceScaleDays: 30 },
      ...{ mediumThreshold: 0.2, highThreshold: 1 },
    });
    expect(riskSettings(loadConfig({}))).toEqual(DEFAULT_RISK_SETTINGS);
  });

  test.each([
    'postgresql://fleet:pa#ss@db/fleet',
    'postgresql://fleet:pa/ss@db/fleet',
    'postgresql://fleet:100%@db/fleet',
    'postgresql://fleet:secret@db:port/fleet',
  ])('says what to encode in a URL that cannot be read, without its password: %s', (url) => {
    expect(() => loadConfig({ DATABASE_URL: url })).toThrow(
      /^DATABASE_URL: its value is not a URL; percent-encode .*%23(?!.*secret)/,
    );
  });

  test.each([
    'postgresql://fleet:pa%23ss@db:5432/fleet?sslmode=verify-full',
    'postgresql:///fleet?host=/var/run/postgresql',
    'postgresql://fleet@/fleet?host=/var/run/postgresql',
  ])('accepts %s', (url) => expect(loadConfig({ DATABASE_URL: url }).DATABASE_URL).toBe(url));

  test('with a password are not repeated in the message', () => {
    expect(() => loadConfig({ DATABASE_URL: 'mysql://root:secret@db' })).toThrow(
      /^DATABASE_URL: its value(?!.*secret)/,
    );
  });

  test('take the passwords of the database and of Redis from files, as it is written there', async () => {
    const folder = await newTemporaryFolder('config');
    try {
      const file = path.join(folder, 'password');
      const read = (env: Record<string, string>) => loadConfig({ DATABASE_PASSWORD_FILE: file, ...env });
      const url = 'postgresql://fleet@db:5432/fleet';
      expect(() => read({ DATABASE_URL: url })).toThrow(
        /DATABASE_PASSWORD_FILE: .* cannot be read \(ENOENT\)/,
      );
      await writeFile(file, 'p%2F@ /:ß\n');
      const { DATABASE_URL } = read({ DATABASE_URL: url });
      expect(new pg.Client({ connectionString: DATABASE_URL! })).toMatchObject({
        user: 'fleet',
        password: 'p%2F@ /:ß',
        host: 'db',
      });
      expect(() => read({})).toThrow(/DATABASE_URL is not set/);
      expect(() => read({ DATABASE_URL: 'postgresql://db/fleet' })).toThrow(/has no user/);
      expect(() => read({ DATABASE_URL: 'postgresql://fleet:secret@db/fleet' })).toThrow(
        /^(?!.*secret).*a password, too/,
      );
      const redis = (REDIS_URL?: string) => loadConfig({ REDIS_PASSWORD_FILE: file, REDIS_URL }).REDIS_URL;
      for (const [given, username] of [
        ['redis://redis:6379', ''],
        ['rediss://fleet@redis:6379', 'fleet'],
      ])
        expect(new URL(redis(given)!)).toMatchObject({
          ...{ username, host: 'redis:6379', password: encodeURIComponent('p%2F@ /:ß') },
        });
      expect(() => redis()).toThrow(/REDIS_PASSWORD_FILE: REDIS_URL is not set/);
      expect(() => redis('redis://:secret@redis')).toThrow(/^(?!.*secret).*a password, too/);
      await writeFile(file, '\n');
      expect(() => read({ DATABASE_URL: url })).toThrow(/is empty/);
    } finally {
      await removeFolder(folder);
    }
  });
});
