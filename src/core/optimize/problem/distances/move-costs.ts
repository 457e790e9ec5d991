/** Costs of moves in whole cost units, for all pairs of locations or for listed pairs. */

/**
 * Costs of all pairs, n × n, row-major. Infinity (or a negative number) forbids the move. The diagonal is not read.
 */
export type DenseCosts = { kind: 'dense'; units: Float64Array | Int32Array };

/** Allowed moves by source: the targets of i are at `starts[i]` up to `starts[i + 1]`. Staying need not be listed. */
export type SparseCosts = {
  kind: 'sparse';
  starts: Int32Array;
  targets: Int32Array;
  units: Float64Array | Int32Array;
};

export type FlowCosts = DenseCosts | SparseCosts;
