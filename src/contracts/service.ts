import { type Static, Type } from 'typebox';

/** Stages of the optimization pipeline, in the order in which they run. */
export const AVAILABLE_STAGES = ['critical_demand', 'min_cost_flow', 'milp_refinement'] as const;
export type PipelineStage = (typeof AVAILABLE_STAGES)[number];
/** Stages that run for every request; the others only for those that ask for them. */
export const ACTIVE_STAGES: PipelineStage[] = ['min_cost_flow'];

export const ServiceConfiguration = Type.Object(
  {
    forecasting: Type.Object({ model: Type.String(), horizon_days: Type.Integer() }),
    optimization: Type.Object({
      solver: Type.String(),
      stages: Type.Array(Type.String(), { description: 'stages that run for every request' }),
      available_stages: Type.Array(Type.String(), {
        description: 'all stages, in their order; `data.stages` of an answer names those that ran',
      }),
    }),
    features: Type.Object({ enable_caching: Type.Boolean(), enable_risk_scoring: Type.Boolean() }),
  },
  { $id: 'ServiceConfiguration' },
);
export type ServiceConfiguration = Static<typeof ServiceConfiguration>;

const Up = Type.Literal('up');

export const Health = Type.Object(
  {
    health: Type.Literal('healthy'),
    checks: Type.Object({ database: Up, queue: Up }),
    uptime_seconds: Type.Number(),
  },
  { $id: 'HealthReport' },
);

export const Liveness = Type.Object(
  { alive: Type.Literal(true), uptime_seconds: Type.Number() },
  { $id: 'LivenessReport' },
);

export const Readiness = Type.Object(
  {
    ready: Type.Literal(true),
    checks: Type.Object({
      database: Up,
      queue: Type.Enum(['up', 'down'], {
        description: 'without it jobs are refused with 503, and all else is served',
      }),
    }),
  },
  { $id: 'ReadinessReport' },
);

export const ServiceInformation = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    description: Type.String(),
    links: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'ServiceInformation' },
);
