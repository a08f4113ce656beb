/** The region and the bucket of the sandbox's object store. */
export const sandboxStorage = { region: 'us-east-1', bucket: 'crossfade-media' } as const
