import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { Lines } from '../../charts/lines.tsx';
import { count } from '../../format.ts';
import { texts } from '../../texts.ts';
import { type Ahead, hourOf, movingIn, spanOf } from './outlook.ts';

const words = texts.ahead;
const PLAY_MS = 1200;
const PLAY = 'M4 2v12l10-6z';
const PAUSE = 'M3 2h4v12H3zM9 2h4v12H9z';
const NEXT = 'M2 2v12l8-6zM11 2h3v12h-3z';
/** Half of the slider's thumb, in pixels. */
const THUMB = 8;

type Props = { ahead: Ahead; at: number; onChange: (at: number) => void };

/** The steps: a slider below lines by step, and a button that lets them pass. */
export function Timeline({ ahead, at, onChange }: Props) {
  const { steps } = ahead;
  const isPlaying = useSignal(false);
  const isStill = useReducedMotion();
  const last = steps.length;
  useEffect(() => {
    if (!isPlaying.value) return;
    if (at >= last || isStill) {
      isPlaying.value = false;
      return;
    }
    const timer = setTimeout(() => onChange(at + 1), PLAY_MS);
    return () => clearTimeout(timer);
  }, [isPlaying.value, at, isStill]);
  const play = () => {
    // A reader who wants no motion goes on by hand.
    if (isStill) return onChange(at >= last ? 0 : at + 1);
    if (!isPlaying.value && at >= last) onChange(0);
    isPlaying.value = !isPlaying.value;
  };
  const label = isStill ? words.next : isPlaying.value ? words.pause : words.play;
  return (
    <section class="timeline" aria-label={words.timeline}>
      <StepLines ahead={ahead} at={at} />
      <div>
        <button type="button" onClick={play} aria-label={label} title={label}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path fill="currentColor" d={isStill ? NEXT : isPlaying.value ? PAUSE : PLAY} />
          </svg>
        </button>
        <div>
          <input
            type="range"
            min={0}
            max={last}
            step={1}
            style={{ marginInline: `calc(${50 / (last + 1)}% - ${THUMB}px)` }}
            value={at}
            aria-label={words.slider}
            aria-valuetext={at === 0 ? words.before(hourOf(ahead, 0)) : spanOf(ahead, at - 1)}
            onInput={(event) => {
              isPlaying.value = false;
              onChange(Number(event.currentTarget.value));
            }}
          />
        </div>
      </div>
    </section>
  );
}

/** Demand, what of it is served, and vehicles that move, by step. The first place is now: nothing is served yet. */
function StepLines({ ahead, at }: Omit<Props, 'onChange'>) {
  const { steps } = ahead;
  const xs = useMemo(() => Array.from({ length: steps.length + 1 }, (_, i) => i), [ahead]);
  const lines = useMemo(
    () => [
      {
        name: words.demand,
        values: [null, ...steps.map(({ demand }) => demand)],
        colour: '--amount',
        isBars: true,
      },
      { name: words.served, values: [null, ...steps.map(({ served }) => served)], colour: '--text' },
      {
        name: words.moving,
        values: [null, ...steps.map(movingIn)],
        colour: '--spare',
        isDashed: true,
        isRight: true,
      },
    ],
    [ahead],
  );
  const marks = useMemo(() => [{ from: at - 0.5, to: at + 0.5, name: '' }], [at]);
  const writeX = (x: number) =>
    x < 0 || x > steps.length || !Number.isInteger(x) ? '' : x === 0 ? words.nowShort : hourOf(ahead, x - 1);
  return (
    <Lines
      label={words.chart}
      xs={xs}
      writeX={writeX}
      xName={words.stepName}
      lines={lines}
      height={150}
      marks={marks}
      writeY={count}
    />
  );
}

function useReducedMotion(): boolean {
  const list = useMemo(() => window.matchMedia('(prefers-reduced-motion: reduce)'), []);
  const isStill = useSignal(list.matches);
  useEffect(() => {
    const read = () => (isStill.value = list.matches);
    list.addEventListener('change', read);
    return () => list.removeEventListener('change', read);
  }, []);
  return isStill.value;
}
