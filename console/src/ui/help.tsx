import { signal } from '@preact/signals';
import { PAGES } from '../router.ts';
import { SERVICE } from '../service.ts';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';

export const isHelpOpen = signal(false);

export function HelpDialog() {
  const rows: [string, string][] = [
    ...texts.help.rows,
    ...PAGES.map(({ key, title }): [string, string] => [`g ${key}`, texts.help.goTo(title)]),
  ];
  return (
    <Dialog isOpen={isHelpOpen} title={texts.help.title}>
      <h2>{texts.help.title}</h2>
      <dl class="keys">
        {rows.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p>
        {texts.help.documents} <a href={`${SERVICE}/docs`}>/docs</a>
      </p>
      <button type="button" onClick={() => (isHelpOpen.value = false)}>
        {texts.help.close}
      </button>
    </Dialog>
  );
}
