import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { news } from './announce.ts';
import { keepKey, key } from './api/key.ts';
import { loadLocations } from './api/locations.ts';
import { LOADERS } from './pages/pages.ts';
import { addressOf, PAGES, page } from './router.ts';
import { texts } from './texts.ts';
import { type Theme, theme } from './theme.ts';
import { HelpDialog, isHelpOpen } from './ui/help.tsx';
import { isSearchOpen, SearchDialog } from './ui/search.tsx';
import { Empty, Failure, Loading } from './ui/states.tsx';

const THEMES: Theme[] = ['auto', 'light', 'dark'];

export function App() {
  // Every page has times, which are on the city's clock. A page that needs locations says itself why there are none.
  useEffect(() => void loadLocations().catch(() => undefined), []);
  return (
    <>
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <Sidebar />
      <main id="content" tabIndex={-1}>
        <CurrentPage />
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {news}
      </div>
      <SearchDialog />
      <HelpDialog />
    </>
  );
}

/** The address is forgotten too: what it names may belong to this reader alone. */
function logOut(): void {
  keepKey(undefined);
  window.location.replace(addressOf(page.peek()));
}

function Sidebar() {
  return (
    <header class="sidebar">
      <a class="name" href={addressOf('')}>
        {texts.service}
      </a>
      <nav aria-label={texts.navigation}>
        {PAGES.map(({ path, title, key }) => (
          <a key={path} href={addressOf(path)} aria-current={page.value === path ? 'page' : undefined}>
            {title} <kbd>g {key}</kbd>
          </a>
        ))}
      </nav>
      <div class="tools">
        <button type="button" onClick={() => (isSearchOpen.value = true)}>
          {texts.search.open} <kbd>/</kbd>
        </button>
        <button type="button" onClick={() => (isHelpOpen.value = true)}>
          {texts.help.open} <kbd>?</kbd>
        </button>
        {key !== undefined && (
          <button type="button" onClick={logOut}>
            {texts.access.logOut}
          </button>
        )}
        <label>
          <span class="unseen">{texts.theme.label}</span>
          <select value={theme.value} onChange={(e) => (theme.value = e.currentTarget.value as Theme)}>
            {THEMES.map((name) => (
              <option key={name} value={name}>
                {texts.theme[name]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </header>
  );
}

/** The page that the address names, loaded when it is first opened. */
function CurrentPage() {
  const loaded = useSignal<{ path: string; Content: ComponentType } | undefined>(undefined);
  const fault = useSignal<Error | undefined>(undefined);
  const path = page.value;
  const known = PAGES.find((one) => one.path === path);
  useEffect(() => {
    let isWanted = true;
    fault.value = undefined;
    document.title = known ? `${known.title} · ${texts.service}` : texts.service;
    if (!known) return;
    LOADERS[known.path]()
      .then(({ default: Content }) => {
        if (isWanted) loaded.value = { path, Content };
      })
      .catch((error: Error) => {
        fault.value = error;
      });
    return () => {
      isWanted = false;
    };
  }, [path]);
  if (!known) return <Empty title={texts.states.noPage} advice={texts.states.noPageAdvice} />;
  if (fault.value) return <Failure error={fault.value} onRetry={() => window.location.reload()} />;
  const current = loaded.value;
  if (current?.path !== path) return <Loading />;
  return <Guarded key={path} Content={current.Content} />;
}

function Guarded({ Content }: { Content: ComponentType }) {
  const [error, reset] = useErrorBoundary();
  if (error) return <Failure error={error} onRetry={reset} />;
  return <Content />;
}
