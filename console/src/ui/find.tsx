import { changeQuery, query } from '../router.ts';

/** The search text of a table, as the address holds it; in lower case. */
export const wantedText = () => (query.value.get('find') ?? '').trim().toLowerCase();

/** The search field of a table. */
export function Find({ label }: { label: string }) {
  return (
    <label>
      {label}
      <input
        type="search"
        value={query.value.get('find') ?? ''}
        onInput={(event) => changeQuery({ find: event.currentTarget.value })}
      />
    </label>
  );
}
