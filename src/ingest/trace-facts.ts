import type { DeclaredGroup, DeviceProperties } from '../trace/trace.ts';
import { parseLenient } from './lenient-json.ts';
import type { MetaKey } from './row-sink.ts';

/** What the keys beside `traceEvents` say. Each may be missing or of another shape: then it says nothing. */
export interface HeadFacts {
  rank?: number;
  worldSize?: number;
  backend?: string;
  groups?: readonly DeclaredGroup[];
  devices?: readonly DeviceProperties[];
  baseUnixNs?: bigint;
}

/** Adds what one key says. False where its JSON is damaged. */
export function readHeadFact(facts: HeadFacts, key: MetaKey, json: Uint8Array): boolean {
  if (key === 'baseTimeNanoseconds') {
    // From its digits: the number is above 2^53.
    const digits = /^\s*"?(-?\d{1,19})"?\s*$/.exec(new TextDecoder('utf-8').decode(json))?.[1];
    if (digits === undefined) return false;
    facts.baseUnixNs = BigInt(digits);
    return true;
  }
  const value = parseLenient(json);
  if (value === undefined) return false;
  if (key === 'distributedInfo') readDistributedInfo(facts, value);
  else facts.devices = readDevices(value);
  return true;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A whole number ≥ 0, perhaps written as text. */
function readCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function readDistributedInfo(facts: HeadFacts, value: unknown): void {
  if (!isRecord(value)) return;
  const rank = readCount(value.rank);
  const worldSize = readCount(value.world_size);
  if (rank !== undefined) facts.rank = rank;
  if (worldSize !== undefined) facts.worldSize = worldSize;
  if (typeof value.backend === 'string') facts.backend = value.backend;
  if (Array.isArray(value.pg_config)) facts.groups = readGroups(value.pg_config);
}

function readGroups(config: readonly unknown[]): DeclaredGroup[] {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return config.filter(isRecord).map((group): DeclaredGroup => {
    const size = readCount(group.pg_size);
    const ranks = Array.isArray(group.ranks) ? (group.ranks as unknown[]).map(readCount) : [];
    return {
      name: typeof group.pg_name === 'number' ? String(group.pg_name) : text(group.pg_name),
      description: text(group.pg_desc),
      ...(size === undefined ? {} : { size }),
      ...(ranks.length === 0 || ranks.includes(undefined) ? {} : { ranks: ranks as number[] }),
    };
  });
}

function readDevices(value: unknown): DeviceProperties[] {
  const devices: DeviceProperties[] = [];
  for (const device of Array.isArray(value) ? (value as unknown[]) : []) {
    if (!isRecord(device)) continue;
    const id = readCount(device.id);
    if (id !== undefined) devices.push({ id, name: typeof device.name === 'string' ? device.name : '' });
  }
  return devices;
}

/** The rank in a file's name (`rank_12`, `rank-0`, `worker3`), or `undefined`. */
export function rankOfFileName(file: string): number | undefined {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  const digits = /(?:^|[^a-z])(?:rank|worker)[-_.=]?(\d{1,9})(?!\d)/i.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
