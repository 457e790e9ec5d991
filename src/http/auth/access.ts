import type { RouteOptions } from 'fastify';
import type { Role } from '../../contracts/access.ts';

/** The callers that may use a route while authentication is on: all, or those with this role or one above it. */
export type Access = 'public' | Role;

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface FastifyContextConfig {
    /** set for every route by `declareAccess` */
    access?: Access;
  }
}

/** The role that each operation needs, by operationId. A test compares docs/operator/security.md with it. */
const OPERATION_ACCESS: Readonly<Record<string, Access>> = {
  get_service: 'public',
  get_health: 'public',
  get_liveness: 'public',
  get_readiness: 'public',
  get_config: 'viewer',
  list_locations: 'viewer',
  list_fleet: 'viewer',
  list_demand: 'viewer',
  list_events: 'viewer',
  list_travel: 'viewer',
  list_trip_flows: 'viewer',
  forecast_demand: 'viewer',
  score_risk: 'viewer',
  backtest_forecast: 'planner',
  optimize: 'planner',
  make_decision: 'planner',
  list_decisions: 'planner',
  get_decision: 'planner',
  create_schedule: 'planner',
  list_schedules: 'planner',
  get_schedule: 'planner',
  change_schedule: 'planner',
  delete_schedule: 'planner',
  create_replay: 'planner',
  list_replays: 'planner',
  get_replay: 'planner',
  compare_replays: 'planner',
  list_jobs: 'planner',
  get_job: 'planner',
  get_job_request: 'planner',
  cancel_job: 'planner',
  list_plans: 'planner',
  get_plan: 'planner',
  compare_plans: 'planner',
  list_plan_moves: 'planner',
  get_operations: 'operator',
  put_locations: 'operator',
  change_location: 'operator',
  delete_location: 'operator',
  put_fleet: 'operator',
  change_vehicle: 'operator',
  delete_vehicle: 'operator',
  add_demand: 'operator',
  delete_demand: 'operator',
  put_events: 'operator',
  delete_event: 'operator',
  put_travel: 'operator',
  put_trip_flows: 'operator',
  list_audit_entries: 'operator',
  create_webhook: 'operator',
  list_webhooks: 'operator',
  get_webhook: 'operator',
  change_webhook: 'operator',
  delete_webhook: 'operator',
  rotate_webhook_secret: 'operator',
  list_webhook_deliveries: 'operator',
  resend_webhook_delivery: 'operator',
};

/** Routes outside the OpenAPI document, by how their path begins. Pages and documents say nothing of stored data. */
const PATH_ACCESS: readonly [begin: string, access: Access][] = [
  ['/ws/optimization', 'planner'],
  ['/metrics', 'operator'],
  ['/queues', 'operator'],
  ['/favicon.ico', 'public'],
  ['/openapi.json', 'public'],
  ['/asyncapi.json', 'public'],
  ['/docs', 'public'],
  ['/redoc', 'public'],
  ['/guide', 'public'],
  ['/console', 'public'],
];

/**
 * Notes at a route who may use it.
 * @throws Error if no table names the route: a new route cannot be forgotten
 */
export function declareAccess(route: RouteOptions): void {
  const { operationId } = (route.schema ?? {}) as { operationId?: string };
  const access =
    operationId === undefined
      ? PATH_ACCESS.find(([begin]) => route.url === begin || route.url.startsWith(`${begin}/`))?.[1]
      : OPERATION_ACCESS[operationId];
  if (access === undefined) {
    throw new Error(`src/http/auth/access.ts does not say who may use ${operationId ?? route.url}`);
  }
  route.config = { ...route.config, access };
}
