import type { ComponentType } from 'preact';
import { newestDecision, readDecision, type StoredDecision } from '../api/decisions.ts';
import { loadLocations, type Place } from '../api/locations.ts';
import { query } from '../router.ts';
import { SERVICE } from '../service.ts';
import { texts } from '../texts.ts';
import { useLoad } from './load.ts';
import { Empty, Failure, Loading } from './states.tsx';

/** The decision that a page shows: undefined while none is stored; `onEnd` reads it again. */
export type Shown = {
  decision: StoredDecision | undefined;
  places: Place[];
  isLoading: boolean;
  onEnd: () => void;
};

/** A page about the newest decision of a mode, or about the one that the address names. */
export function DecisionPage({
  mode,
  of: Planned,
}: {
  mode: 'static' | 'horizon';
  of: ComponentType<Shown>;
}) {
  const wanted = query.value.get('decision') ?? undefined;
  const { data, error, isLoading, reload } = useLoad(
    async (signal) => {
      const [decision, places] = await Promise.all([
        wanted ? readDecision(wanted, signal) : newestDecision(signal, mode),
        loadLocations(),
      ]);
      return { decision, places };
    },
    [wanted],
  );
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  if (data.places.length === 0) {
    const url = `${SERVICE}/api/v1/data/locations`;
    const command = `curl -X PUT ${url} -H 'content-type: text/csv' --data-binary @locations.csv`;
    return <Empty title={texts.today.noLocations} advice={texts.today.noLocationsAdvice} command={command} />;
  }
  const { decision, places } = data;
  const key = `${decision?.decision_id} ${decision?.status}`;
  return <Planned key={key} decision={decision} places={places} isLoading={isLoading} onEnd={reload} />;
}
