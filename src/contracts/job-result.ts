import { Type } from 'typebox';
import { BacktestResponse } from './backtest.ts';
import { DecisionResponse } from './decisions.ts';
import { ErrorEnvelope } from './envelope.ts';
import { OptimizeResponse } from './optimize.ts';
import { ReplayResponse } from './replays.ts';

const oneOf = (name: string, description: string, ...schemas: Type.TSchema[]) =>
  Type.Unsafe({ $id: name, oneOf: schemas, description });

/** The target of `Job.result`: the answer of any kind of job. */
export const JobResult = oneOf(
  'JobResult',
  'once ended: the envelope that the synchronous call returns; an error if there is no plan or the job ' +
    'failed or was cancelled',
  OptimizeResponse,
  DecisionResponse,
  BacktestResponse,
  ReplayResponse,
  ErrorEnvelope,
);

/** The target of `Decision.result`. */
export const DecisionAnswer = oneOf(
  'DecisionAnswer',
  'once ended: the envelope that the synchronous call returns',
  DecisionResponse,
  ErrorEnvelope,
);
