// So that a transaction which waits does not keep all others of its process waiting.
const leastConnections = 4

/**
 * How many connections one of several processes opens for requests. They divide the pool, because reads share a
 * connection only if all are in use (docs/shared-connections.md): the processes together then need about as much CPU time
 * for a read as one does.
 */
export const sharePool = (size: number, processes: number): number =>
  Math.min(size, Math.max(Math.ceil(size / processes), leastConnections))
