/** Wrong or hostile bodies for every operation with a JSON body. */
import { gzipSync } from 'node:zlib';

/** Just below the limit of JSON bodies, 48 MiB. */
export const LARGE_BYTES = 46e6;
/** Just below the size from which bodies are read in a thread. */
export const SMALL_BYTES = 255_000;

/** An operation: its path, and its body around the text of `items`, the list or map that grows. */
export type LoopOperation = {
  method: 'POST' | 'PUT' | 'PATCH';
  path: string;
  /** text before and after the items */
  around: [string, string];
  /** a valid item, the i-th */
  item(i: number): string;
};

const vehicles = (more: string): [string, string] => ['{"fleet_state":{"vehicles":[', `]}${more}}`];
const demand = ',"demand_forecast":{"1":[1]}';

export const LOOP_OPERATIONS: Record<string, LoopOperation> = {
  'optimize, vehicles': {
    method: 'POST',
    path: '/api/v1/optimize',
    around: vehicles(demand),
    item: (i) => `{"id":"V${i}","location":${1 + (i % 500)}}`,
  },
  'optimize, one series': {
    method: 'POST',
    path: '/api/v1/optimize',
    around: ['{"demand_forecast":{"1":[', ']},"fleet_state":{"vehicles":[]}}'],
    item: () => '1',
  },
  'optimize, demand': {
    method: 'POST',
    path: '/api/v1/optimize',
    around: ['{"demand_forecast":{', '},"fleet_state":{"vehicles":[]}}'],
    item: (i) => `"${i}":[1]`,
  },
  'optimize, network row': {
    method: 'POST',
    path: '/api/v1/optimize',
    around: [`{"network":{"location_ids":[1],"costs":[[`, `]]},"fleet_state":{"vehicles":[]}${demand}}`],
    item: (i) => (i % 2 ? 'null' : '0.5'),
  },
  decisions: {
    method: 'POST',
    path: '/api/v1/decisions',
    around: vehicles(''),
    item: (i) => `{"id":"V${i}","location":1}`,
  },
  forecast: {
    method: 'POST',
    path: '/api/v1/forecast',
    around: ['{"location_ids":[', ']}'],
    item: (i) => `${i}`,
  },
  backtest: {
    method: 'POST',
    path: '/api/v1/forecast/backtest',
    around: ['{"location_ids":[', ']}'],
    item: (i) => `${i}`,
  },
  risk: {
    method: 'POST',
    path: '/api/v1/risk/score',
    around: ['{"vehicles":[', ']}'],
    item: (i) => `{"id":"V${i}","age_days":1,"utilization_rate":0.5,"days_since_maintenance":1}`,
  },
  locations: {
    method: 'PUT',
    path: '/api/v1/data/locations',
    around: ['{"locations":[', ']}'],
    item: (i) => `{"id":${i},"name":"L","latitude":1,"longitude":2}`,
  },
  fleet: {
    method: 'PUT',
    path: '/api/v1/data/fleet',
    around: ['{"fleet":[', ']}'],
    item: (i) => `{"vehicle_id":"V${i}","location_id":1}`,
  },
  demand: {
    method: 'POST',
    path: '/api/v1/data/demand',
    around: ['{"observations":[', ']}'],
    item: () => '{"location_id":1,"hour":"2026-03-01T05:00:00Z","demand":1}',
  },
  'patch of a vehicle': {
    method: 'PATCH',
    path: '/api/v1/data/fleet/V1',
    around: ['{"status":"operational","x":{', '}}'],
    item: (i) => `"${i}":1`,
  },
};

/** Adds items until `bytes` are full. */
function fill(bytes: number, item: (i: number) => string): string {
  const parts: string[] = [];
  for (let i = 0, length = 0; ; i++) {
    const text = item(i);
    length += text.length + 1;
    if (length > bytes && i > 0) return parts.join(',');
    parts.push(text);
  }
}

type Kind = (operation: LoopOperation, bytes: number) => string;
const inside =
  (item: (i: number) => string): Kind =>
  ({ around, item: valid }, bytes) => {
    const isMap = valid(0).startsWith('"');
    return around[0] + fill(bytes, (i) => (isMap ? `"${i}":${item(i)}` : item(i))) + around[1];
  };

/** Kinds of faults, each as large as requested. */
export const ITEM_KINDS: Record<string, Kind> = {
  'zeros as items': inside(() => '0'),
  'empty objects as items': inside(() => '{}'),
  'empty arrays as items': inside(() => '[]'),
  'texts as items': inside((i) => `"a${i}"`),
  'nulls as items': inside(() => 'null'),
  'objects with unknown keys as items': inside((i) => `{"k${i}":${i}}`),
  'valid items, too many or twice': ({ around, item }, bytes) => around[0] + fill(bytes, item) + around[1],
  'valid items, malformed at the end': ({ around, item }, bytes) => around[0] + fill(bytes, item),
  'unknown keys': (_operation, bytes) => `{${fill(bytes, (i) => `"key ${i}":1`)}}`,
  'one key again and again': (_operation, bytes) => `{${fill(bytes, () => '"location_ids":1')}}`,
  'one long text': ({ around }, bytes) => `${around[0]}"${'x'.repeat(bytes)}"${around[1]}`,
  'one long key': (_operation, bytes) => `{"${'x'.repeat(bytes)}":1}`,
  'brackets that open': (_operation, bytes) => '['.repeat(bytes),
  'nested objects': (_operation, bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  'forbidden keys': (_operation, bytes) => `{${fill(bytes, () => '"__proto__":{}')}}`,
  'white space': (_operation, bytes) => ' '.repeat(bytes),
};

export type Body = { bytes: Buffer<ArrayBuffer>; headers: Record<string, string> };

/** A faulty body: large, small, and compressed. A decompression bomb is refused while it is unpacked. */
export function faultyBodies(kind: Kind, operation: LoopOperation): Record<string, Body> {
  const large = Buffer.from(kind(operation, LARGE_BYTES));
  const headers = { 'content-type': 'application/json' };
  return {
    large: { bytes: large, headers },
    packed: { bytes: gzipSync(large, { level: 1 }), headers: { ...headers, 'content-encoding': 'gzip' } },
    small: { bytes: Buffer.from(kind(operation, SMALL_BYTES)), headers },
  };
}
