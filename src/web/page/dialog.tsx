import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** Over the page, until it is closed: the browser keeps the focus in it, and Esc closes it. */
export function Dialog({ label, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={close}
      onClick={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
