import { useMemo } from 'preact/hooks';
import { Lines } from '../../charts/lines.tsx';
import { count, listed, percent } from '../../format.ts';
import { texts } from '../../texts.ts';
import { Figure } from '../../ui/figure.tsx';
import { type Ahead, hourOf, movingIn, seriesAt, shortIn, spanOf, sumOf } from './outlook.ts';

const words = texts.ahead;
const NAMED = 3;

/** The figures of the place on the slider; now, those of the first step. */
export function AtStep({ ahead, at }: { ahead: Ahead; at: number }) {
  const t = Math.max(0, at - 1);
  const step = ahead.steps[t];
  const short = shortIn(ahead, t);
  const names = short.slice(0, NAMED).map(({ id, unmet }) => `${ahead.nameOf(id)} (${count(unmet)})`);
  const rest = short.length - names.length;
  const due = sumOf(ahead.moves.filter((move) => move.due === at));
  return (
    <section class="at-step" aria-label={words.stepName}>
      <h2>
        {at === 0 ? words.before(hourOf(ahead, 0)) : spanOf(ahead, t)}{' '}
        <span class="quiet">{ahead.zone ?? words.ownClock}</span>
      </h2>
      <dl class="figures">
        <Figure
          label={at === 0 ? words.figures.demandFirst : words.figures.demand}
          value={count(step.demand)}
          note={words.figures.served(percent(step.demand > 0 ? step.served / step.demand : 1))}
        />
        <Figure
          label={words.figures.unmet}
          value={count(step.unmet)}
          note={words.figures.places(count(short.length))}
        />
        <Figure
          label={words.figures.vehicles}
          value={count(step.vehicles)}
          note={at === 0 ? '' : words.figures.moving(count(movingIn(step)))}
        />
        <Figure label={at === 0 ? words.figures.dueNow : words.figures.due} value={count(due)} note="" />
      </dl>
      {at > 0 && ahead.ids.length === 0 && <p class="quiet">{words.noLocations}</p>}
      {names.length > 0 && <p>{words.shortHere(rest > 0 ? names.join(', ') : listed(names), rest)}</p>}
    </section>
  );
}

/** A location that is pinned: what it has in each step. */
export function PinnedLocation({ ahead, id, at }: { ahead: Ahead; id: number; at: number }) {
  const series = useMemo(() => seriesAt(ahead, id), [ahead, id]);
  const xs = useMemo(() => ahead.steps.map((_, t) => t), [ahead]);
  const lines = useMemo(
    () =>
      series && [
        { name: words.demand, values: series.demand, colour: '--amount', isBars: true },
        { name: words.served, values: series.served, colour: '--text' },
      ],
    [series],
  );
  const marks = useMemo(() => (at === 0 ? [] : [{ from: at - 1.5, to: at - 0.5, name: '' }]), [at]);
  const name = ahead.nameOf(id);
  const t = Math.max(0, at - 1);
  const sum = (key: 'from' | 'to') =>
    sumOf(ahead.moves.filter((move) => move.due === at && move[key] === id));
  return (
    <section class="location" aria-label={name}>
      <h2>{name}</h2>
      <p>
        {series &&
          words.here(
            spanOf(ahead, t),
            count(series.demand[t]),
            count(series.served[t]),
            count(series.vehicles[t]),
          )}{' '}
        {words.comeAndGo(count(sum('to')), count(sum('from')))}
      </p>
      {lines && (
        <Lines
          label={words.chartHere(name)}
          xs={xs}
          writeX={(x) => (Number.isInteger(x) && ahead.steps[x] ? hourOf(ahead, x) : '')}
          xName={words.stepName}
          lines={lines}
          height={150}
          marks={marks}
        />
      )}
    </section>
  );
}
