/** The work of a replay, in a thread: from the stored data to the figures. */
import type { ReplayData } from '../../src/contracts/replays.ts';
import { type ReplayControl, replay } from '../../src/core/replay/replay.ts';
import { reportFigures } from '../../src/core/replay/report.ts';
import { prepareReplay, type StoredReplay } from '../../src/core/replay/stored-replay.ts';
import { openTravel, type TravelPacks } from '../../src/db/travel/packed-travel.ts';
import { openTrips } from '../../src/db/travel/packed-trips.ts';

/** When a replay is, as its answer says it. */
type ReplayPeriod = Pick<ReplayData, 'replay_id' | 'from' | 'to' | 'starts_at' | 'ends_at' | 'time_zone'>;

export type ReplayTask = {
  stored: StoredReplay;
  travel: TravelPacks | null;
  /** The ends of trips (`openTrips`); null if they are not known. */
  trips: readonly Uint8Array[] | null;
  period: ReplayPeriod;
};

/** @returns the answer and its summary as JSON text, or that the stop flag was set */
export async function replayStored(
  { stored, travel, trips, period }: ReplayTask,
  control: ReplayControl,
): Promise<{ status: 'done'; summary: string; data: string } | { status: 'cancelled' }> {
  const { request } = stored;
  const prepared = prepareReplay(stored, travel && openTravel(travel), trips && openTrips(trips));
  const { past, fleet, forecasts, options, hoursNotObserved } = prepared;
  const report = await replay(past, fleet, forecasts, options, control);
  if (!report) return { status: 'cancelled' };
  const {
    policies,
    location_ids,
    demand_by_hour,
    demand_by_location,
    demand_by_hour_and_location,
    ...figures
  } = reportFigures(past, report);
  const about = {
    ...period,
    locations: location_ids.length,
    fleet_size: fleet.reduce((sum, vehicles) => sum + vehicles, 0),
    trips_per_vehicle_hour: request.trips_per_vehicle_hour,
    unmet_demand_cost: request.unmet_demand_cost,
    trip_flows: trips ? ('stored' as const) : ('none' as const),
    ...figures,
    hours_not_observed: hoursNotObserved,
  };
  const series = { location_ids, demand_by_hour, demand_by_location, demand_by_hour_and_location };
  const data: ReplayData = { ...about, ...series, policies };
  const short = policies.map(
    ({
      extra_trips_per_km: _,
      drawn: _drawn,
      served_by_hour: _hour,
      moves_by_hour: _moves,
      served_by_location: _location,
      lost_by_hour_and_location: _both,
      ...one
    }) => one,
  );
  const summary = JSON.stringify({ ...about, policies: short });
  return { status: 'done', summary, data: JSON.stringify(data) };
}
