import { useSignal } from '@preact/signals';
import { keepKey } from '../api/key.ts';
import { texts } from '../texts.ts';

const words = texts.access;

/** Asks for the key or token that the service wants. */
export function LogIn() {
  const typed = useSignal('');
  const submit = (event: Event) => {
    event.preventDefault();
    const chosen = typed.value.trim();
    if (!chosen) return;
    keepKey(chosen);
    window.location.reload();
  };
  return (
    <form class="controls" onSubmit={submit}>
      <label>
        {words.key}
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={(e) => (typed.value = e.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {words.logIn}
      </button>
    </form>
  );
}
