import { setImmediate } from 'node:timers/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { RiskRequest, RiskScore, type RiskVehicle } from '../../contracts/risk.ts';
import { scoreRisk } from '../../core/risk.ts';
import { success } from '../../envelope.ts';
import { riskSettings } from '../../risk-settings.ts';
import type { Deps } from '../app.ts';
import { riskExample } from '../examples.ts';
import { STREAM_PAGE_ROWS, streamList } from '../list-stream.ts';
import { sendJsonText } from '../raw-json.ts';
import { answers, errors } from '../responses.ts';

const RiskScores = Type.Object({ risk_scores: Type.Array(RiskScore) });

/** `POST /api/v1/risk/score`. */
export function riskRoutes({ config }: Pick<Deps, 'config'>): FastifyPluginAsyncTypebox {
  const settings = riskSettings(config);
  return async (app) => {
    app.post(
      '/api/v1/risk/score',
      {
        schema: {
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
        const { vehicles } = request.body;
        const scores = (part: RiskVehicle[]) => part.map((vehicle) => scoreRisk(vehicle, settings));
        if (vehicles.length < STREAM_PAGE_ROWS) return success(request.id, { risk_scores: scores(vehicles) });
        let start = 0;
        const readPage = async () => {
          // Other requests get their turn between the parts of a large one.
          await setImmediate();
          start += STREAM_PAGE_ROWS;
          return scores(vehicles.slice(start - STREAM_PAGE_ROWS, start));
        };
        return sendJsonText(reply, await streamList(request.id, 'risk_scores', readPage, async () => ({})));
      },
    );
  };
}
