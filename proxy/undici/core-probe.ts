import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { connect } from 'node:net'
import { shareRecent } from '#shared/share-recent.ts'
import type { ProbeCore } from '../circuit-breaker.ts'
import type { ConnectionSettings } from '../node-streams/core-connection.ts'

// Leaves the admin `/readyz` time to respond within a second, after which health checks commonly time out.
const connectTimeoutMs = 400

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

/** Checks whether the core accepts a connection within 400 ms, at most once a second. Calls share the result. */
export const createConnectionProbe = (coreOrigin: string, connection: ConnectionSettings = {}) => {
  const origin = new URL(coreOrigin)
  return shareRecent(() => acceptsConnections(origin, connection))
}

/** On a separate connection, without credentials. Null if the signal is aborted first. */
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

export const createResponseProbe =
  (url: string, connection: ConnectionSettings, timeoutMs: number): ProbeCore =>
  async (signal) => {
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    return (await readProbeStatus(url, connection, until)) !== null
  }
