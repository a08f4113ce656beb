import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { connect } from 'node:net'
import type { ProbeCore } from '../circuit-breaker.ts'
import type { ConnectionSettings } from '../node-streams/core-connection.ts'

// Health checks of load balancers commonly time out after a second.
const connectTimeoutMs = 400
const resultTtlMs = 1000

const acceptsConnections = (origin: URL, { lookup }: ConnectionSettings) =>
  new Promise<boolean>((resolve) => {
    const host = origin.hostname.replace(/^\[|\]$/g, '')
    const port = Number(origin.port || (origin.protocol === 'https:' ? 443 : 80))
    const socket = connect({ host, port, ...(lookup ? { lookup } : {}) })
    const finish = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket.setTimeout(connectTimeoutMs, () => finish(false))
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })

/** Whether the core accepts a connection within 400 ms. It is tried at most once a second; calls share the result. */
export const createConnectionProbe = (coreOrigin: string, connection: ConnectionSettings = {}) => {
  const origin = new URL(coreOrigin)
  let result: Promise<boolean> | undefined
  let triedAt = 0
  return () => {
    const now = performance.now()
    if (result === undefined || now - triedAt >= resultTtlMs) {
      triedAt = now
      result = acceptsConnections(origin, connection)
    }
    return result
  }
}

/**
 * The status with which the core responds to a GET of `url` on a connection of its own and without credentials; null if it
 * does not respond before the signal is aborted.
 */
export const readProbeStatus = (
  url: string,
  connection: ConnectionSettings,
  signal: AbortSignal,
): Promise<number | null> =>
  new Promise((resolve) => {
    const get = url.startsWith('https:') ? getHttps : getHttp
    const headers = { 'user-agent': 'crossfade-probe' }
    const request = get(url, { ...connection, agent: false, headers, signal })
    request.once('response', (response) => {
      resolve(response.statusCode ?? null)
      response.destroy()
    })
    request.on('error', () => resolve(null))
  })

/** Whether the core responds to a probe, with whatever status, within `timeoutMs`. */
export const createResponseProbe =
  (url: string, connection: ConnectionSettings, timeoutMs: number): ProbeCore =>
  async (signal) => {
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    return (await readProbeStatus(url, connection, until)) !== null
  }
