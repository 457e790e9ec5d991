import type { Fault } from '../api/client.ts';
import type { ErrorRelaxation, Shortfall } from '../api/types.ts';
import { count, decimal, percent } from '../format.ts';
import { texts } from '../texts.ts';
import { type Setting, settingsOf } from './settings.ts';

const words = texts.conflict;
const SERVE_MOST: Setting = { name: 'shortage', value: 'serve_most' };

type Reason = { change: ErrorRelaxation | undefined; message: string };
type Apply = (settings: Setting[]) => void;

/**
 * The conflict, and each change that would resolve it: as a button where the request can state it, else in the
 * service's words.
 */
export function Conflict(props: {
  shortfall?: Shortfall | undefined;
  faults?: readonly Fault[];
  onApply: Apply;
}) {
  const { shortfall, faults = [], onApply } = props;
  const title = shortfall
    ? words.title(percent(shortfall.requested), percent(shortfall.reached))
    : words.titleRefused;
  const reasons: Reason[] = shortfall
    ? shortfall.relaxations.map((change) => ({ change, message: change.message }))
    : faults.map(({ relaxation, message }) => ({ change: relaxation, message }));
  // Changes that can be made come before those that cannot.
  const [helpful, others] = [true, false].map((isHelpful) =>
    reasons.filter(({ change }) => ((change && settingsOf(change)) !== undefined) === isHelpful),
  );
  const isLevelInTheWay = faults.some(({ relaxation }) => relaxation?.constraint === 'min_service_level');
  return (
    <section class="conflict" aria-label={title}>
      <h2>{title}</h2>
      {helpful.length > 0 && <p>{words.advice}</p>}
      <ul>
        {helpful.map(({ change, message }) => (
          <Relaxation key={message} change={change!} message={message} onApply={onApply} />
        ))}
        {isLevelInTheWay && (
          <li>
            <button type="button" onClick={() => onApply([SERVE_MOST])}>
              {words.serveMost}
            </button>{' '}
            <span class="quiet">{words.serveMostNote}</span>
          </li>
        )}
        {others.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </section>
  );
}

function Relaxation({
  change,
  message,
  onApply,
}: {
  change: ErrorRelaxation;
  message: string;
  onApply: Apply;
}) {
  const settings = settingsOf(change)!;
  return (
    <li>
      <button type="button" onClick={() => onApply(settings)}>
        {words.apply(settings.map(written).join(words.and))}
      </button>{' '}
      {!change.together && <span class="quiet">{change.proved ? words.proved : words.enough}</span>}
      <div class="quiet">{message}</div>
    </li>
  );
}

/** A setting in words, as "distance to 3.2 km". */
export function written(setting: Setting): string {
  if (setting.name === 'shortage') return words.serveMost;
  const { name, value } = setting;
  const label = words.names[name] ?? name;
  if (typeof value === 'object') return words.atLocations(label, count(Object.keys(value).length));
  if (name === 'min_service_level') return words.to(label, percent(value));
  return words.to(label, name === 'max_distance' ? `${decimal(value)} km` : count(value));
}
