import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { FleetConnectionError, FleetError } from '../api/client.ts';
import { texts } from '../texts.ts';
import { LogIn } from './log-in.tsx';

const AWAY_RETRY_MS = 3000;

export function Loading() {
  return <p class="state quiet">{texts.states.loading}</p>;
}

/** Nothing is there yet: says what to do next, with the command to copy. */
export function Empty(props: {
  title: string;
  advice?: string;
  command?: string;
  children?: ComponentChildren;
}) {
  const { title, advice, command, children } = props;
  return (
    <section class="state">
      <h2>{title}</h2>
      {advice && <p>{advice}</p>}
      {command && <Command text={command} />}
      {children}
    </section>
  );
}

/** A command, and a button that copies it. */
function Command({ text }: { text: string }) {
  const copied = useSignal(false);
  return (
    <div class="command">
      <pre>
        <code>{text}</code>
      </pre>
      <button
        type="button"
        onClick={() => {
          navigator.clipboard?.writeText(text).then(() => (copied.value = true));
        }}
      >
        {copied.value ? texts.states.copied : texts.states.copy}
      </button>
    </div>
  );
}

/**
 * The failure in the service's own words. If the service does not answer, it is asked again until it does; if it
 * wants a key, here is where to give one.
 */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const isAway = error instanceof FleetConnectionError;
  useEffect(() => {
    if (!isAway || !onRetry) return;
    const timer = setTimeout(onRetry, AWAY_RETRY_MS);
    return () => clearTimeout(timer);
  }, [error]);
  const needsKey = error instanceof FleetError && error.code === 'UNAUTHORIZED';
  const title = isAway
    ? texts.states.away
    : needsKey
      ? texts.access.needsKey
      : error instanceof FleetError
        ? texts.states.failed
        : texts.states.broken;
  return (
    <section class="state fault" role="alert">
      <h2>{title}</h2>
      {isAway && <p>{onRetry ? texts.states.awayAdvice : texts.states.awayOnce}</p>}
      {error instanceof FleetError ? (
        <ul>
          {error.details.map(({ message, field }) => (
            <li key={message}>
              {message} {field && <code>{field}</code>}
            </li>
          ))}
        </ul>
      ) : (
        !isAway && <p>{String(error)}</p>
      )}
      {needsKey && <LogIn />}
      {onRetry && !needsKey && (
        <button type="button" onClick={onRetry}>
          {texts.states.retry}
        </button>
      )}
    </section>
  );
}
