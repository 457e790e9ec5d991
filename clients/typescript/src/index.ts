export {
  createFleetClient,
  type FleetCall,
  type FleetClient,
  type FleetClientOptions,
  type JobPath,
  type PostAnswer,
  type PostBody,
  type SubmitOptions,
  type SubmittedJob,
  type WaitOptions,
} from './client.ts';
export { type ErrorDetail, FleetConnectionError, FleetError, type FleetErrorCode } from './errors.ts';
export { riskVehicleOf } from './risk.ts';
export type { components, operations, paths } from './schema.ts';
export type { RetryOptions } from './transport.ts';
export { type FleetJob, hasEnded, type WatchOptions } from './watch.ts';
