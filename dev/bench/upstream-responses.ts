export const smallBytes = 1024
export const largeBytes = 104_857_600

// Paths of a route that the core serves. The benchmark fails if the gateway serves that route natively.
export const smallPath = '/v1/packs/small'
export const largePath = '/v1/packs/large'
