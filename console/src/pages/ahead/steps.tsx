import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import type { Place } from '../../api/locations.ts';
import { count } from '../../format.ts';
import type { Lit } from '../../map/draw.ts';
import { Colours } from '../../map/legend.tsx';
import { changeQuery, query } from '../../router.ts';
import { texts } from '../../texts.ts';
import { useEscape } from '../../ui/escape.ts';
import { AtStep, PinnedLocation } from './at-step.tsx';
import { MovesTable } from './moves-table.tsx';
import { type Ahead, hourOf, sumOf } from './outlook.ts';
import { type SceneAt, sceneAt } from './scene-at.ts';
import { Timeline } from './timeline.tsx';

const MapCanvas = lazy(() => import('../../map/canvas.tsx'));
const words = texts.ahead;

type Props = {
  id: string;
  ahead: Ahead;
  places: Place[];
  isLoading: boolean;
  /** The content above the figures of the step. */
  before: ComponentChildren;
  /** The content below its table. */
  after: ComponentChildren;
};

/** Map, slider, figures and table: one place in time, one selection, both held by the address. */
export function Steps({ id, ahead, places, isLoading, before, after }: Props) {
  const search = query.value;
  const at = placeOf(search.get('step'), ahead.steps.length);
  const shown = useMemo(() => sceneAt(ahead, at, places), [ahead, at]);
  const hovered = useSignal<Lit>({});
  const pinned: Lit = {
    location: search.has('location') ? Number(search.get('location')) : undefined,
    move: search.get('move') ?? undefined,
  };
  // With the id, a link shows the same when newer plans have come.
  const go = (step: number) => changeQuery({ decision: id, step: step === 0 ? undefined : String(step) });
  const pick = ({ location, move }: Lit) => {
    const due = ahead.moves.find(({ key }) => key === move)?.due;
    changeQuery({
      decision: id,
      location: location === undefined ? undefined : String(location),
      move,
      ...(due !== undefined && { step: due === 0 ? undefined : String(due) }),
    });
  };
  useEscape(() => pick({}));
  const isHovering = hovered.value.location !== undefined || hovered.value.move !== undefined;
  const lit = isHovering ? hovered.value : pinned;
  const isKnown = pinned.location !== undefined && shown.scene.spots.has(pinned.location);
  return (
    <div class="map-page ahead" aria-busy={isLoading}>
      <div class="side">
        <div class="lead">{before}</div>
        <AtStep ahead={ahead} at={at} />
        {pinned.location !== undefined && !isKnown && (
          <p>{texts.map.unknownPlace(search.get('location')!)}</p>
        )}
        {isKnown && <PinnedLocation ahead={ahead} id={pinned.location!} at={at} />}
        <MovesTable
          ahead={ahead}
          id={id}
          at={at}
          location={isKnown ? pinned.location : undefined}
          lit={lit.move}
          onHover={(key) => (hovered.value = key === undefined ? {} : { move: key })}
          onPick={(key) => pick(key === pinned.move ? {} : { move: key })}
        />
        {after}
      </div>
      <div class="picture">
        <Suspense fallback={<div class="map" />}>
          <MapCanvas
            label={words.picture}
            scene={shown.scene}
            lit={lit}
            onHover={(found) => (hovered.value = found)}
            onPick={pick}
          />
        </Suspense>
        <Legend ahead={ahead} at={at} drawn={shown} />
      </div>
      <Timeline ahead={ahead} at={at} onChange={go} />
    </div>
  );
}

/** The place on the slider that the address names; now, if it names none. */
function placeOf(text: string | null, last: number): number {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? Math.min(value, last) : 0;
}

function Legend({ ahead, at, drawn: shown }: { ahead: Ahead; at: number; drawn: SceneAt }) {
  const { due, drawn, laterArcs, laterVehicles } = shown;
  const when = at === 0 ? words.nowShort : hourOf(ahead, at - 1);
  return (
    <div class="legend">
      <Colours />
      <span class="due">{words.drawn(when, count(sumOf(drawn)), count(drawn.length))}</span>
      {drawn.length < due.length && (
        <span>{words.notDrawn(count(due.length - drawn.length), count(sumOf(due) - sumOf(drawn)))}</span>
      )}
      {laterArcs > 0 && (
        <span>
          <i class="taper faded" /> {words.later(count(laterVehicles))}
        </span>
      )}
    </div>
  );
}
