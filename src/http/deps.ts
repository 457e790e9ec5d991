import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Config } from '../config.ts';
import type { openDatabase } from '../db/client.ts';
import type { Metrics } from '../process/metrics.ts';
import type { Tracing } from '../process/tracing.ts';
import type { EventBus } from '../queue/event-bus.ts';
import type { JobQueue } from '../queue/queue.ts';
import type { Intake } from './bodies/intake.ts';
import type { Forecaster } from './forecasts/forecaster.ts';
import type { JobWatch } from './jobs/job-watch.ts';
import type { QueueRoom } from './jobs/queue-room.ts';

/** Everything the API needs. Tests pass the same. */
export type Deps = {
  config: Config;
  database: Pick<ReturnType<typeof openDatabase>, 'db' | 'pool' | 'monitor'>;
  queue: JobQueue;
  bus: EventBus;
  watch: JobWatch;
  forecaster: Forecaster;
  intake: Intake;
  queueRoom: QueueRoom;
  logger: FastifyBaseLogger;
  /** undefined: the setting METRICS is off */
  metrics?: Metrics | undefined;
  /** undefined: no traces are sent */
  tracing?: Tracing | undefined;
};

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;
