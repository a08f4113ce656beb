// So that a transaction which waits does not keep all others of its process waiting.
const leastConnections = 4

/**
 * How many connections one of several processes opens for requests. They divide the pool: with fewer connections, each
 * sends more reads at once (docs/shared-connections.md), so that dividing the requests costs nothing.
 */
export const sharePool = (size: number, processes: number): number =>
  Math.min(size, Math.max(Math.ceil(size / processes), leastConnections))
