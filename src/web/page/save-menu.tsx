import { useState } from 'preact/hooks';
import { formatCount, formatDur } from '../../base/format.ts';
import { type ChromeTrace, chromeTrace } from '../timeline/chrome-trace.ts';
import { Dialog } from './dialog.tsx';
import { download, fileName } from './download.ts';
import type { Model } from './model.ts';
import { openInPerfetto } from './perfetto.ts';
import { pngOf, svgOf } from './picture.ts';

interface Props {
  readonly model: Model;
}

/** What is in view, for elsewhere. */
export function SaveMenu({ model }: Props) {
  const [offered, setOffered] = useState<ChromeTrace | undefined>(undefined);
  const act = (what: string): void => {
    const { file } = model.timeline;
    if (what === 'png') {
      void pngOf(model).then((blob) => download(fileName(file, 'view.png'), blob), tellProblem(model));
    } else if (what === 'svg') download(fileName(file, 'view.svg'), svgOf(model), 'image/svg+xml');
    else if (what === 'overlay') saveOverlay(model, overlayOf(model));
    else if (what === 'perfetto') setOffered(overlayOf(model));
    else if (what === 'link') {
      navigator.clipboard
        .writeText(location.href)
        .then(() => (model.said.value = 'The link is copied.'), tellProblem(model));
    }
  };
  return (
    <>
      <select
        class="save"
        aria-label="Save or share what is in view"
        value=""
        onChange={({ currentTarget }) => {
          const { value } = currentTarget;
          currentTarget.value = '';
          act(value);
        }}
      >
        <option value="">Save…</option>
        <option value="png">the view as PNG</option>
        <option value="svg">the view as SVG</option>
        <option value="overlay">the view as a trace with the path</option>
        <option value="perfetto">open the view in Perfetto…</option>
        <option value="link">copy the link</option>
      </select>
      {offered === undefined ? null : <Offer model={model} trace={offered} close={() => setOffered(undefined)} />}
    </>
  );
}

const tellProblem =
  (model: Model) =>
  (error: unknown): void => {
    model.said.value = error instanceof Error ? error.message : String(error);
  };

const overlayOf = (model: Model): ChromeTrace =>
  chromeTrace(model.timeline, {
    ...model.view.peek(),
    lanes: model.order.peek().shown,
    nameOf: (event) => model.nameOf(event),
    eventAt: (position) => model.eventAt(position),
  });

const saveOverlay = (model: Model, { json }: ChromeTrace): void =>
  download(fileName(model.timeline.file, 'view.json'), json, 'application/json');

/** Says what would leave this machine's page before it does. */
function Offer({ model, trace, close }: Props & { readonly trace: ChromeTrace; readonly close: () => void }) {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const { start, end } = model.view.peek();
  const open = (): void => {
    openInPerfetto(trace.json, `${model.timeline.file} (longpole)`).then(close, (error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <Dialog label="Open in Perfetto" close={close}>
      <h2>This leaves your machine’s page</h2>
      <p>
        Perfetto’s page is on the internet, at <code>https://ui.perfetto.dev</code>. It would get what is in view:{' '}
        {formatCount(trace.events)} events ({formatDur(Math.round(end - start))}) with their names, times and lanes, and
        the path.
        {trace.leftOut === 0 ? '' : ` The ${formatCount(trace.leftOut)} shortest events are left out.`} That page says
        that it keeps a trace in the browser; longpole cannot know.
      </p>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <p class="acts">
        <button type="button" onClick={open}>
          Open it there
        </button>
        <button
          type="button"
          onClick={() => {
            saveOverlay(model, trace);
            close();
          }}
        >
          Save it as a file instead
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
