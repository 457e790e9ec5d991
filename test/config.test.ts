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

  test('of risk that contradict each other are named: weights above 1 together, a medium threshold above the high one', () => {
    const weights = {
      RISK_WEIGHT_AGE: '0.5',
      RISK_WEIGHT_UTILIZATION: '0.4',
      RISK_WEIGHT_MAINTENANCE: '0.3',
    };
    expect(() => loadConfig(weights)).toThrow(/0\.5 \+ 0\.4 \+ 0\.3 is more than 1/);
    expect(() => loadConfig({ RISK_MEDIUM_THRESHOLD: '0.8' })).toThrow(
      /RISK_MEDIUM_THRESHOLD: 0\.8 is above RISK_HIGH_THRESHOLD, 0\.7/,
    );
    // 0.1 + 0.2 + 0.7 is a little more than 1 in binary.
    const whole = { RISK_WEIGHT_AGE: '0.1', RISK_WEIGHT_UTILIZATION: '0.2', RISK_WEIGHT_MAINTENANCE: '0.7' };
    expect(loadConfig(whole).RISK_WEIGHT_AGE).toBe(0.1);
  });

  test('with a password are not repeated in the message', () => {
    expect(() => loadConfig({ DATABASE_URL: 'mysql://root:secret@db' })).toThrow(
      /^DATABASE_URL: its value(?!.*secret)/,
    );
  });
});
