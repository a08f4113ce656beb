export const smallBytes = 1024

// The path of a route that the core serves. The benchmark fails if the gateway serves it natively.
export const smallPath = '/v1/packs/small'
