/** What the upstream answers to `.../small` and to `.../large`. */
export const smallBytes = 1024
export const largeBytes = 104_857_600

// A row that the core serves; the bench refuses to measure when the gateway serves it itself.
export const smallPath = '/v1/packs/small'
export const largePath = '/v1/packs/large'
