export const sandboxStorage = { region: 'us-east-1', bucket: 'crossfade-media' } as const
