import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { RiskRequest, RiskScore } from '../../contracts/risk.ts';
import { sendJsonText } from '../bodies/raw-json.ts';
import { factsOf } from '../bodies/receive-body.ts';
import { riskExample } from '../documents/examples.ts';
import { streamData } from '../lists/list-stream.ts';
import { answers, errors } from '../responses.ts';

const RiskScores = Type.Object({ risk_scores: Type.Array(RiskScore) }, { $id: 'RiskScoreList' });

/** `POST /api/v1/risk/score`. */
export function riskRoutes(): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/v1/risk/score',
      {
        config: { operation: 'risk' },
        schema: {
          operationId: 'score_risk',
          tags: ['risk'],
          summary: 'Risk score of each vehicle',
          description:
            'score = 0.3·age + 0.4·utilization + 0.3·maintenance, each factor from 0 to 1; ' +
            'below 0.4 low, from 0.7 high. Weights, scales and thresholds are settings.',
          body: { ...RiskRequest, examples: [riskExample] },
          response: {
            200: answers('one score per vehicle, in the order of the request', RiskScores),
            ...errors(400, 413, 415),
          },
        },
      },
      async (request, reply) => {
        const { scores } = factsOf(request, 'risk');
        return sendJsonText(reply, streamData(request.id, pieces(scores)));
      },
    );
  };
}

/** Bytes sent at once. */
const CHUNK_BYTES = 256 * 1024;

function* pieces(scores: Uint8Array): Generator<string | Uint8Array> {
  yield '{"risk_scores":';
  for (let i = 0; i < scores.length; i += CHUNK_BYTES) yield scores.subarray(i, i + CHUNK_BYTES);
  yield '}';
}
