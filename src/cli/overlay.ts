export async function saveOverlay(..._: unknown[]): Promise<void> {}
