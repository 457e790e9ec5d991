/** Costs of moves, between all pairs of locations or of the pairs that are listed; whole numbers of cost units. */

/** Costs of all pairs, n × n, row-major; Infinity (or a negative number) forbids the move. The diagonal is not read. */
export type DenseCosts = { kind: 'dense'; units: Float64Array | Int32Array };

/** Moves that are allowed, by source: targets of i from `starts[i]` up to `starts[i + 1]`. Staying need not be listed. */
export type SparseCosts = {
  kind: 'sparse';
  starts: Int32Array;
  targets: Int32Array;
  units: Float64Array | Int32Array;
};

export type FlowCosts = DenseCosts | SparseCosts;
