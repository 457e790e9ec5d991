import { type Static, Type } from 'typebox';

/** The rules that a plan may have to satisfy; `network`: forbidden moves, `supply`: the operational vehicles. */
const CONSTRAINT_NAMES = [
  'min_service_level',
  'max_distance',
  'max_rebalancing_cost',
  'min_vehicles_per_location',
  'max_vehicles_per_location',
  'total_fleet_size',
  'min_vehicles_per_move',
  'max_pairs',
  'max_moves_from',
  'network',
  'supply',
] as const;

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);

const ValuesByLocation = Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
  description:
    'only for vehicles per location that the request bounds by location: the values that suffice together, ' +
    'for the locations where they have to change. `relaxation` then is the loosest of them',
});

const change = {
  constraint: Type.Union([Type.Enum([...CONSTRAINT_NAMES]), Type.Null()], {
    description: 'null: several constraints together, which are in `together`',
  }),
  value: { ...NumberOrNull, description: 'as requested; for `supply` the operational vehicles' },
  relaxation: {
    ...NumberOrNull,
    description:
      'the value nearest to it that suffices, all else unchanged; null if none does or none is known',
  },
  proved: Type.Boolean({
    description:
      'whether no nearer value suffices, with `by_location` no smaller change in total; with null: that none does',
  }),
  by_location: Type.Optional(ValuesByLocation),
  together: Type.Optional(
    Type.Array(
      Type.Object({
        constraint: Type.Enum([...CONSTRAINT_NAMES]),
        relaxation: Type.Number({
          description: 'the value to set; for `supply` that many operational vehicles',
        }),
        by_location: Type.Optional(ValuesByLocation),
      }),
      { description: 'only with `constraint` null: the changes that suffice together' },
    ),
  ),
};

export const ErrorRelaxation = Type.Object(change, {
  $id: 'ErrorRelaxation',
  description:
    'only of `INFEASIBLE_PROBLEM`, where the constraints in conflict are known: what the message says',
});

/** The same beside a plan that serves most, which has no errors. */
export const SufficientChange = Type.Object(
  { ...change, message: Type.String() },
  { $id: 'SufficientChange' },
);
export type SufficientChange = Static<typeof SufficientChange>;
