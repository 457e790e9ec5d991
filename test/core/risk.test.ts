import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RiskVehicle } from '../../src/contracts/risk.ts';
import { DEFAULT_RISK_SETTINGS, type RiskSettings, riskVehicleOn, scoreRisk } from '../../src/core/risk.ts';
import { runs } from '../helpers/depth.ts';

const vehicle = (
  age_days: number,
  utilization_rate: number,
  days_since_maintenance: number,
): RiskVehicle => ({
  id: 'v1',
  age_days,
  utilization_rate,
  days_since_maintenance,
});

describe('scoreRisk', () => {
  test('the published example comes out exactly', () => {
    expect(scoreRisk(vehicle(365, 0.75, 14))).toEqual({
      vehicle_id: 'v1',
      risk_score: 0.45,
      risk_category: 'medium',
      factors: { age_contribution: 0.15, utilization_contribution: 0.2, maintenance_contribution: 0.1 },
    });
  });

  test.each([
    [vehicle(0, 1, 0), 0.4, 'medium'],
    [vehicle(730, 0.625, 0), 0.4, 'medium'],
    [vehicle(730, 0.624, 0), 0.3992, 'low'],
    [vehicle(730, 1, 0), 0.7, 'high'],
    [vehicle(730, 0.5 + 0.5 / 4, 42), 0.7, 'high'],
    [vehicle(729, 1, 0), 0.699589, 'medium'],
    [vehicle(0, 0, 0), 0, 'low'],
    [vehicle(730, 1, 42), 1, 'high'],
  ])('%o scores %f, %s: a threshold belongs to the category above it', (input, score, category) => {
    expect(scoreRisk(input)).toMatchObject({ risk_score: score, risk_category: category });
  });

  test('factors stop at 0 and at 1', () => {
    expect(scoreRisk(vehicle(1e9, 50, 1e9))).toEqual(scoreRisk(vehicle(730, 1, 42)));
    expect(scoreRisk(vehicle(-5, -1, -5)).factors).toEqual({
      age_contribution: 0,
      utilization_contribution: 0,
      maintenance_contribution: 0,
    });
    expect(scoreRisk(vehicle(0, 0.5, 0)).factors.utilization_contribution).toBe(0);
  });

  test('weights, scales and thresholds are settings', () => {
    const settings: RiskSettings = {
      weights: { age: 1, utilization: 0, maintenance: 0 },
      ageScaleDays: 100,
      utilizationFloor: 0,
      utilizationRange: 1,
      maintenanceScaleDays: 1,
      mediumThreshold: 0.1,
      highThreshold: 0.2,
    };
    expect(scoreRisk(vehicle(10, 1, 1), settings)).toMatchObject({
      risk_score: 0.1,
      risk_category: 'medium',
    });
    expect(scoreRisk(vehicle(20, 1, 1), settings).risk_category).toBe('high');
    expect(scoreRisk(vehicle(9, 1, 1), settings).risk_category).toBe('low');
  });

  test('a scale of zero counts anything above it in full and never divides by zero', () => {
    const settings = { ...DEFAULT_RISK_SETTINGS, ageScaleDays: 0 };
    expect(scoreRisk(vehicle(1, 0, 0), settings).factors.age_contribution).toBe(0.3);
    expect(scoreRisk(vehicle(0, 0, 0), settings).factors.age_contribution).toBe(0);
  });

  test('contributions add up to the score in decimals, and more wear never lowers it', () => {
    const days = fc.double({ min: 0, max: 5000, noNaN: true });
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(days, rate, days, days, (age, utilization, maintenance, older) => {
        const { risk_score, factors } = scoreRisk(vehicle(age, utilization, maintenance));
        const total = Object.values(factors).reduce((sum, part) => sum + part, 0);
        expect(total.toFixed(6)).toBe(risk_score.toFixed(6));
        expect(risk_score).toBeGreaterThanOrEqual(0);
        expect(risk_score).toBeLessThanOrEqual(1);
        expect(scoreRisk(vehicle(age + older, utilization, maintenance)).risk_score).toBeGreaterThanOrEqual(
          risk_score,
        );
      }),
      runs(1000),
    );
  });
});

describe('riskVehicleOn', () => {
  const stored = {
    vehicle_id: 'v1',
    acquired_on: '2023-12-31',
    last_maintenance_on: '2024-12-17',
    utilization_rate: 0.75,
  };

  test('counts the days from the stored dates, leap days too', () => {
    expect(riskVehicleOn(stored, '2024-12-31')).toEqual(vehicle(366, 0.75, 14));
    expect(riskVehicleOn(stored, '2025-01-01')).toMatchObject({ age_days: 367, days_since_maintenance: 15 });
  });

  test('a date after the day counts as the day', () => {
    expect(riskVehicleOn(stored, '2023-01-01')).toEqual(vehicle(0, 0.75, 0));
  });

  test.each(['acquired_on', 'last_maintenance_on', 'utilization_rate'])(
    'without %s there is nothing to score',
    (name) => {
      expect(riskVehicleOn({ ...stored, [name]: undefined }, '2024-12-31')).toBeNull();
    },
  );
});
