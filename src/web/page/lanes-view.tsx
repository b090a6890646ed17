import { useEffect, useRef } from 'preact/hooks';
import { formatDur } from '../../base/format.ts';
import { exactText } from '../timeline/view.ts';
import { LaneNames } from './lane-names.tsx';
import type { Model } from './model.ts';
import { MAP_HEIGHT, RULER_HEIGHT } from './frame.ts';
import { attachStage, wordsAt } from './stage.ts';

interface Props {
  readonly model: Model;
}

/** The lanes: their names as buttons, their events on a canvas. */
export function LanesView({ model }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (scroller.current === null || canvas.current === null) return undefined;
    return attachStage(model, scroller.current, canvas.current);
  }, [model]);
  return (
    <div class="lanes" ref={scroller}>
      <LaneNames model={model} />
      <div class="picture">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label="Timeline. Keys: W A S D to move, Shift and arrows to select, P for the path, T for a table, ? for all keys."
          aria-describedby="said"
        />
        {model.layout.value.lanes.length === 0 ? (
          <p class="empty" style={{ top: `${RULER_HEIGHT + 12}px` }}>
            No lane has “{model.wishes.value.filter}” in its name, kind or id: change the filter on the left.
          </p>
        ) : null}
        <Cursor model={model} />
      </div>
    </div>
  );
}

/** A line at the pointer, with the instant; beside it what is there. */
function Cursor({ model }: Props) {
  const cursor = model.cursor.value;
  if (cursor === undefined) return null;
  const { width, height } = model.size.value;
  const words = wordsAt(model, cursor.x, cursor.y);
  const isRight = cursor.x > width / 2;
  const style = {
    top: `${Math.min(Math.max(cursor.y + 14, RULER_HEIGHT), RULER_HEIGHT + height - 60)}px`,
    ...(isRight ? { right: `${width - cursor.x + 10}px` } : { left: `${cursor.x + 12}px` }),
  };
  const area = model.area.value;
  const isInArea = area !== undefined && area.start <= cursor.time && cursor.time <= area.end;
  return (
    <>
      <div
        class="cursor"
        style={{ left: `${cursor.x}px`, top: `${MAP_HEIGHT}px`, height: `${RULER_HEIGHT + height - MAP_HEIGHT}px` }}
      />
      <div class="tip" style={style} aria-hidden="true">
        <b>{exactText(cursor.time)}</b>
        {words === undefined ? null : <p>{words}</p>}
        {isInArea ? <p>{formatDur(Math.round(cursor.time - area.start))} after the area begins</p> : null}
      </div>
    </>
  );
}
