import { signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { locations } from '../api/locations.ts';
import { addressOf, navigate, PAGES } from '../router.ts';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { findById, type Hit, idIn } from './find-by-id.ts';
import { useLoad } from './load.ts';

export const isSearchOpen = signal(false);

const MAX_SHOWN = 12;

export function SearchDialog() {
  return (
    <Dialog isOpen={isSearchOpen} title={texts.search.title}>
      <Search />
    </Dialog>
  );
}

function Search() {
  const wanted = useSignal('');
  const at = useSignal(0);
  const id = idIn(wanted.value);
  const known = useLoad(async (signal) => id && { id, hit: await findById(id, signal) }, [id]);
  const named = useMemo(() => find(wanted.value), [wanted.value, locations.value]);
  const found = known.data && known.data.id === id ? known.data.hit : undefined;
  const hits = found ? [found] : named;
  const open = (hit: Hit | undefined) => {
    if (!hit) return;
    isSearchOpen.value = false;
    navigate(hit.address);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Enter') open(hits[at.value]);
    else if (step !== 0) at.value = Math.max(0, Math.min(hits.length - 1, at.value + step));
    else return;
    event.preventDefault();
  };
  return (
    <div class="search">
      <input
        type="text"
        list={undefined}
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type here
        autoFocus
        // biome-ignore lint/a11y/noRedundantRoles: it has no `list`, so it has no such role of its own
        role="combobox"
        aria-label={texts.search.placeholder}
        aria-expanded="true"
        aria-controls="search-hits"
        aria-activedescendant={hits.length > 0 ? `search-hit-${at.value}` : undefined}
        placeholder={texts.search.placeholder}
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div id="search-hits" role="listbox" aria-label={texts.search.title}>
        {hits.map((hit, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field above reads the keys of the list
          <div
            key={hit.address}
            id={`search-hit-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at.value}
            onClick={() => open(hit)}
          >
            {hit.label} <span class="quiet">{hit.kind}</span>
          </div>
        ))}
      </div>
      {hits.length === 0 && (
        <p class="quiet">
          {known.isLoading
            ? texts.states.loading
            : known.error !== undefined
              ? texts.search.failed
              : id
                ? texts.search.noId
                : texts.search.none}
        </p>
      )}
    </div>
  );
}

/** Pages and locations by a part of their name, those first that begin with it. */
function find(wanted: string): Hit[] {
  const text = wanted.trim().toLowerCase();
  const pages = PAGES.map(({ title, path }) => ({
    label: title,
    kind: texts.search.pageKind,
    address: addressOf(path),
  }));
  const places = locations.value.map(({ id, name }) => ({
    label: name,
    kind: texts.search.locationKind,
    address: addressOf('map', { location: String(id) }),
  }));
  const rank = ({ label }: Hit) => label.toLowerCase().indexOf(text);
  const named = [...pages, ...places].filter((hit) => rank(hit) >= 0);
  return named.toSorted((a, b) => Math.sign(rank(a)) - Math.sign(rank(b))).slice(0, MAX_SHOWN);
}
