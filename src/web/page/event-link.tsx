import { escapeText } from '../../base/format.ts';
import type { EventReference } from '../../analyses/reference.ts';
import { type Model, NONE } from './model.ts';

interface Props {
  readonly model: Model;
  readonly to: Pick<EventReference, 'event' | 'name'> & Partial<EventReference>;
  /** Instead of its name. */
  readonly text?: string;
}

/** Selects an event, and brings it into view; in a new tab, the page with that selection. */
export function EventLink({ model, to, text }: Props) {
  const event = model.eventAt(to.event);
  const where = to.lane === undefined ? '' : ` on ${to.lane}`;
  return (
    <a
      href={`#e=${to.event}`}
      title={escapeText(`e-${to.event}${where}: ${to.name.slice(0, 2_000)}`)}
      onClick={(click) => {
        if (click.ctrlKey || click.metaKey || click.shiftKey) return;
        click.preventDefault();
        model.show(event);
      }}
    >
      {text ?? (event === NONE ? escapeText(to.name) : model.nameOf(event))}
    </a>
  );
}
