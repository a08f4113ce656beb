/** What the sandbox's store calls itself. */
export const sandboxStorage = { region: 'us-east-1', bucket: 'crossfade-media' } as const
