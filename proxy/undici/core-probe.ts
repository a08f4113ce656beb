import { connect } from 'node:net'

// Health checks of load balancers commonly time out after a second.
const connectTimeoutMs = 400
const resultTtlMs = 1000

const acceptsConnections = (origin: URL) =>
  new Promise<boolean>((resolve) => {
    const host = origin.hostname.replace(/^\[|\]$/g, '')
    const port = Number(origin.port || (origin.protocol === 'https:' ? 443 : 80))
    const socket = connect({ host, port })
    const finish = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket.setTimeout(connectTimeoutMs, () => finish(false))
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })

/** Whether the core accepts a connection within 400 ms. It is tried at most once a second; calls share the result. */
export const createConnectionProbe = (coreOrigin: string) => {
  const origin = new URL(coreOrigin)
  let result: Promise<boolean> | undefined
  let triedAt = 0
  return () => {
    const now = performance.now()
    if (result === undefined || now - triedAt >= resultTtlMs) {
      triedAt = now
      result = acceptsConnections(origin)
    }
    return result
  }
}
