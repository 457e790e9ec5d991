import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../src/config.ts';

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

  test('that do not fit are all named with their value, and an empty one counts as unset', () => {
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

  test('with a password are not repeated in the message', () => {
    expect(() => loadConfig({ DATABASE_URL: 'mysql://root:secret@db' })).toThrow(
      /^DATABASE_URL: its value(?!.*secret)/,
    );
  });
});
