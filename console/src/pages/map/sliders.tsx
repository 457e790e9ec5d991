import { count, decimal, percent } from '../../format.ts';
import { texts } from '../../texts.ts';
import { written } from '../../ui/conflict.tsx';
import type { Setting } from '../../ui/settings.ts';

/** The names of the sliders, as the address has them. */
export const SLIDERS = ['service', 'distance', 'ceiling', 'price'] as const;
export type SliderName = (typeof SLIDERS)[number];
/** Undefined: as the decision has it. */
export type SliderValues = Partial<Record<SliderName, number>>;

type Range = { from: number; to: number; step: number };

const write: Record<SliderName, (value: number) => string> = {
  service: percent,
  distance: (km) => `${decimal(km)} km`,
  ceiling: count,
  price: decimal,
};

type Props = {
  values: SliderValues;
  /** Values of the sliders by the decision. */
  defaults: Record<SliderName, number>;
  ranges: Record<SliderName, Range>;
  onChange: (name: SliderName, value: number | undefined) => void;
  /** The values that relaxations set and that have no slider. */
  also: readonly Setting[] | undefined;
  onResetAlso: () => void;
};

/** The constraints of the plan, and the cost of unmet demand. Each change asks the service for a new plan. */
export function Sliders({ values, defaults, ranges, onChange, also, onResetAlso }: Props) {
  const words = texts.map.sliders;
  return (
    <fieldset class="sliders">
      <legend>{words.title}</legend>
      {SLIDERS.map((name) => {
        const value = values[name];
        const { from, to, step } = ranges[name];
        const shown = value === undefined ? words.asDecided : write[name](value);
        return (
          <div key={name}>
            <label for={`slider-${name}`}>{words.names[name]}</label>
            <span>
              <output for={`slider-${name}`}>{shown}</output>
              {value !== undefined && (
                <button
                  type="button"
                  class="link"
                  aria-label={words.resetOne(words.names[name])}
                  onClick={() => onChange(name, undefined)}
                >
                  {words.reset}
                </button>
              )}
            </span>
            <input
              id={`slider-${name}`}
              type="range"
              min={from}
              max={to}
              step={step}
              value={value ?? defaults[name]}
              aria-valuetext={shown}
              onInput={(event) => onChange(name, Number(event.currentTarget.value))}
            />
          </div>
        );
      })}
      {also && (
        <p>
          {words.alsoSet(also.map(written).join(texts.conflict.and))}{' '}
          <button type="button" class="link" aria-label={words.resetOne(words.also)} onClick={onResetAlso}>
            {words.reset}
          </button>
        </p>
      )}
    </fieldset>
  );
}
