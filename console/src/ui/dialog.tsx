import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A dialog that a signal opens. Esc and a click beside it close it; focus returns to where it was. */
export function Dialog(props: { isOpen: Signal<boolean>; title: string; children: ComponentChildren }) {
  const { isOpen, title, children } = props;
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen.value) element.current?.showModal();
    else element.current?.close();
  }, [isOpen.value]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does the same as a click beside it
    <dialog
      ref={element}
      aria-label={title}
      onClose={() => (isOpen.value = false)}
      onClick={(event) => event.target === element.current && element.current?.close()}
    >
      {isOpen.value && children}
    </dialog>
  );
}
