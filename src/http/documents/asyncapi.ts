import type { FastifyRequest } from 'fastify';
import { SERVICE_VERSION } from '../../contracts/envelope.ts';
import {
  CompleteMessage,
  ErrorMessage,
  ProgressMessage,
  SubscribeMessage,
  UnsubscribeMessage,
} from '../../contracts/events.ts';
import { outward } from '../path-prefix.ts';

const JOB_ID = 'opt_0199c8a0-0000-7000-8000-000000000000';

const MESSAGES = {
  subscribe: { payload: SubscribeMessage, summary: 'Follow a job; its current state is sent at once' },
  unsubscribe: { payload: UnsubscribeMessage, summary: 'Stop following a job' },
  progress: { payload: ProgressMessage, summary: 'Progress of a job; it never decreases' },
  complete: { payload: CompleteMessage, summary: 'A job has ended; exactly once per subscription' },
  error: { payload: ErrorMessage, summary: 'A message was malformed, or its job is unknown' },
} as const;

const EXAMPLES: Partial<Record<keyof typeof MESSAGES, object>> = {
  subscribe: { type: 'subscribe', job_id: JOB_ID },
  unsubscribe: { type: 'unsubscribe', job_id: JOB_ID },
};

/**
 * The AsyncAPI 3 document of `/ws/optimization`, from the schemas that validate its messages. Its server is the one
 * that the caller asked.
 */
export function asyncApiDocument(request: FastifyRequest) {
  const names = Object.keys(MESSAGES) as (keyof typeof MESSAGES)[];
  const inChannel = (name: string) => ({ $ref: `#/channels/optimization/messages/${name}` });
  const operation = (action: 'send' | 'receive', summary: string, messages: string[]) => ({
    action,
    summary,
    channel: { $ref: '#/channels/optimization' },
    messages: messages.map(inChannel),
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Fleet Decision Service: progress of jobs',
      version: SERVICE_VERSION,
      description:
        'JSON text messages over one WebSocket. A job_id comes from POST /api/v1/optimize, ' +
        '/api/v1/decisions, /api/v1/replays or /api/v1/forecast/backtest.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host: request.host,
        pathname: outward(request, '/'),
        protocol: request.protocol === 'https' ? 'wss' : 'ws',
      },
    },
    channels: {
      optimization: {
        address: '/ws/optimization',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      follow: operation('receive', 'What a client sends', ['subscribe', 'unsubscribe']),
      report: operation('send', 'What the service sends', ['progress', 'complete', 'error']),
    },
    components: {
      messages: Object.fromEntries(
        names.map((name) => {
          const { payload, summary } = MESSAGES[name];
          const example = EXAMPLES[name];
          return [name, { name, summary, payload, ...(example && { examples: [{ payload: example }] }) }];
        }),
      ),
    },
  };
}
