import { describe, expect, test } from 'vitest';
import { createRandom } from '../core/optimize/instances.ts';
import { createJudge } from './judge.ts';
import { readOperations } from './operations.ts';
import { type FuzzedRequest, fuzzRequest, noneKnown } from './requests.ts';
import type { WireAnswer } from './send.ts';

const SUCCESS = { type: 'object', required: ['status'], properties: { status: { const: 'success' } } };
const document = {
  openapi: '3.1.0',
  components: { schemas: { Success: SUCCESS, Failure: { type: 'object' } } },
  paths: {
    '/things/{id}': {
      get: {
        parameters: [{ name: 'id', in: 'path', schema: { type: 'string' }, example: 'a' }],
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Success' } } } },
          400: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } } },
        },
      },
    },
  },
};
const [operation] = readOperations(document);
const request: FuzzedRequest = {
  ...{ operation, isOtherMethod: false, method: 'GET', path: '/things/a', headers: {}, body: undefined },
};
const answer = (status: number, body: unknown, headers: Record<string, string> = {}): WireAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'x-request-id': 'r', ...headers },
  bytes: Buffer.alloc(0),
  text: typeof body === 'string' ? body : JSON.stringify(body),
  ms: 1,
});
const envelope = (error: object = {}) => ({
  status: 'error',
  data: null,
  errors: [{ code: 'VALIDATION_ERROR', message: 'is wrong', field: null, detail: null, ...error }],
  metadata: { request_id: 'r' },
});

describe('the judge of fuzzed answers', () => {
  const judge = createJudge(document);

  test('finds nothing wrong with what is promised', () => {
    expect(judge(request, answer(200, { status: 'success' }))).toEqual([]);
    expect(judge(request, answer(400, envelope()))).toEqual([]);
  });

  test.each<[string, WireAnswer, RegExp]>([
    ['a status of 500', answer(500, envelope()), /status 500/],
    ['a status that is not documented', answer(418, envelope()), /418 is not in the document/],
    ['a body that does not fit', answer(200, { status: 'fine' }), /does not fit the document/],
    ['text that is no JSON', answer(200, '{'), /no valid JSON/],
    ['an error without the envelope', answer(400, { error: 'x' }), /without the envelope/],
    ['an error without a field', answer(400, envelope({ field: undefined })), /without all of its keys/],
    ['a stack', answer(400, envelope({ detail: 'at run (/a/b.ts:1:2)' })), /internals/],
    ['SQL', answer(400, envelope({ detail: 'select 1 from jobs' })), /internals/],
    [
      'an error that is no JSON',
      answer(400, 'no', { 'content-type': 'text/plain' }),
      /of type "text\/plain"/,
    ],
  ])('finds %s', (_, found, message) => {
    expect(judge(request, found).join('; ')).toMatch(message);
  });

  test('finds that the request id is missing', () => {
    const { 'x-request-id': _, ...headers } = answer(200, {}).headers;
    expect(judge(request, { ...answer(200, { status: 'success' }), headers })).toEqual(['no X-Request-Id']);
  });
});

test('the same seed makes the same requests, another seed others', () => {
  const requests = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 50 }, () => fuzzRequest(document, [operation], random, noneKnown()).path);
  };
  expect(requests(1)).toEqual(requests(1));
  expect(requests(1)).not.toEqual(requests(2));
});
