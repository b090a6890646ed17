import type { Packed } from '../../protocol/snapshot.ts';

/** The bytes that were packed. Rejects where it is something else. */
export async function unpack(packed: Packed): Promise<ArrayBuffer> {
  const binary = atob(packed);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

export const unpackText = async (packed: Packed): Promise<string> => new TextDecoder().decode(await unpack(packed));
