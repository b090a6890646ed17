import { assertNever } from '../../base/assert.ts';
import { escapeText, formatBytes, formatCount, formatDur, formatShare } from '../../base/format.ts';
import type { ReportCell, ReportColumn, ReportPiece } from './document.ts';

const UNKNOWN = '–';

/** A cell as words. What could steer a terminal or turn the writing round is a visible escape; markup is not escaped yet. */
export function formatCell(cell: string | number | undefined, { unit }: ReportColumn): string {
  if (cell === undefined) return UNKNOWN;
  if (typeof cell === 'string') return escapeText(cell);
  if (!Number.isFinite(cell)) return UNKNOWN;
  switch (unit) {
    case 'ns':
      return formatDur(cell);
    case 'share':
      return formatShare(cell);
    case 'count':
      return formatCount(cell);
    case 'bytes':
      return formatBytes(cell);
    case 'gb-per-s':
      return `${cell.toFixed(cell < 10 ? 2 : 1)} GB/s`;
    case 'text':
    case 'name':
      return String(cell);
    default:
      return assertNever(unit);
  }
}

export const hasPieces = (cell: ReportCell): cell is readonly ReportPiece[] => typeof cell === 'object';

export const isNumeric = ({ unit }: ReportColumn): boolean => unit !== 'text' && unit !== 'name';
