/** Opens a file of the viewer's own: dropped on the page, or chosen. It is read in a worker of the page and goes nowhere. */
import { render } from 'preact';
import { escapeText, formatBytes, formatCount } from '../../base/format.ts';
import type { Engine } from '../../protocol/calls.ts';
import { type Opening, openInWorker } from './worker-engine.ts';

type State =
  | { readonly kind: 'idle' }
  /** A file hangs over the page. */
  | { readonly kind: 'over' }
  | { readonly kind: 'opening'; readonly file: string; readonly opening?: Opening }
  | { readonly kind: 'failed'; readonly file: string; readonly why: string };

/** The whole page as a place for files. */
export class DropTarget {
  readonly #createWorker: () => Promise<Worker>;
  readonly #show: (engine: Engine) => Promise<void>;
  readonly #layer = document.createElement('div');
  #running: AbortController | undefined;

  constructor(createWorker: () => Promise<Worker>, show: (engine: Engine) => Promise<void>) {
    this.#createWorker = createWorker;
    this.#show = show;
    document.body.append(this.#layer);
    addEventListener('dragover', (event) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      if (this.#running === undefined) this.#tell({ kind: 'over' });
    });
    addEventListener('dragleave', ({ relatedTarget }) => {
      if (relatedTarget === null && this.#running === undefined) this.#tell({ kind: 'idle' });
    });
    addEventListener('drop', (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      if (file === undefined) this.#tell({ kind: 'idle' });
      else this.open(file);
    });
  }

  /** A file that is still being opened gives way to it. */
  readonly open = (file: File): void => {
    void this.#open(file);
  };

  async #open(file: File): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    const isCurrent = (): boolean => this.#running === running;
    const tell = (opening?: Opening): void => {
      if (isCurrent()) this.#tell({ kind: 'opening', file: file.name, ...(opening && { opening }) });
    };
    tell();
    try {
      await this.#show(await openInWorker(await this.#createWorker(), file, tell, running.signal));
      if (isCurrent()) this.#tell({ kind: 'idle' });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (isCurrent()) this.#tell({ kind: 'failed', file: file.name, why });
    } finally {
      if (isCurrent()) this.#running = undefined;
    }
  }

  #tell(state: State): void {
    const close = (): void => {
      this.#running?.abort();
      this.#running = undefined;
      this.#tell({ kind: 'idle' });
    };
    render(state.kind === 'idle' ? undefined : <Layer state={state} close={close} />, this.#layer);
  }
}

function Layer({ state, close }: { readonly state: Exclude<State, { kind: 'idle' }>; readonly close: () => void }) {
  return (
    <div class="drop-layer" role={state.kind === 'failed' ? 'alertdialog' : 'status'} aria-label="Open a trace">
      <div
        class="drop-card"
        onKeyDown={({ key }) => {
          if (key === 'Escape') close();
        }}
      >
        <Words state={state} />
        {state.kind === 'over' ? null : (
          <button type="button" ref={(button) => button?.focus()} onClick={close}>
            {state.kind === 'failed' ? 'Close' : 'Stop'}
          </button>
        )}
      </div>
    </div>
  );
}

function Words({ state }: { readonly state: Exclude<State, { kind: 'idle' }> }) {
  switch (state.kind) {
    case 'over':
      return <p>Drop a trace: it is read and analysed in this page, and goes nowhere.</p>;
    case 'failed':
      return (
        <p>
          <b>{escapeText(state.file)}</b> cannot be shown: {escapeText(state.why)}.
        </p>
      );
    case 'opening':
      return (
        <>
          <p>
            <b>{escapeText(state.file)}</b>
          </p>
          <Progress opening={state.opening} />
        </>
      );
  }
}

function Progress({ opening }: { readonly opening: Opening | undefined }) {
  if (opening?.kind === 'laying-out') {
    return <p>{formatCount(opening.events)} events: finding what waited for what…</p>;
  }
  return (
    <>
      <progress max={1} value={opening?.share ?? 0} aria-label="Read" />
      <p>{opening === undefined ? 'Starting…' : `Reading: ${formatBytes(opening.jsonBytes)} of JSON`}</p>
    </>
  );
}

export function FileButton({ open }: { readonly open: (file: File) => void }) {
  return (
    <label class="file-button">
      Open a trace…
      <input
        type="file"
        accept=".json,.gz,.zst"
        title="It is read in this page, and goes nowhere"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // The same file can be chosen again.
          if (file !== undefined) open(file);
          currentTarget.value = '';
        }}
      />
    </label>
  );
}
