/** Lengths of the upstream's responses to `.../small` and `.../large`. */
export const smallBytes = 1024
export const largeBytes = 104_857_600

// A row that the core serves. The benchmark fails if the gateway serves it natively.
export const smallPath = '/v1/packs/small'
export const largePath = '/v1/packs/large'
