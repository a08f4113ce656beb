import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { connect } from 'node:net'
import type { ProbeCore } from '../circuit-breaker.ts'

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

/**
 * Whether the core responds to a GET on a connection of its own, without credentials and with whatever status, within
 * `timeoutMs`.
 */
export const createResponseProbe = (coreOrigin: string, path: string, timeoutMs: number): ProbeCore => {
  const url = coreOrigin + path
  const get = url.startsWith('https:') ? getHttps : getHttp
  return (signal) =>
    new Promise((resolve) => {
      const request = get(url, {
        agent: false,
        headers: { 'user-agent': 'crossfade-probe' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      request.once('response', (response) => {
        resolve(true)
        response.destroy()
      })
      request.on('error', () => resolve(false))
    })
}
